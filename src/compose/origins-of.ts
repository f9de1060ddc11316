import { Origins } from '../apps/origins.ts';
import type { Config } from '../config/config.ts';

/** Returns the origins of a node that clients reach at `url`. */
export const originsOf = ({ publicUrl, domain, defaultApp }: Config, url: string): Origins =>
  new Origins({ url, isNamed: publicUrl !== null, domain, defaultApp });
