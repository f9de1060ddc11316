import type { Reply } from '../../../contract/call-request.ts';
import { renderXml, type XmlContent } from './xml/write-xml.ts';

export const XML_TYPE = 'application/xml';

/** Returns a reply with a document of the S3 protocol. */
export const xmlReply = (root: string, content: XmlContent, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': XML_TYPE, 'cache-control': 'no-store', ...headers },
  body: renderXml(root, content),
});

/** Returns a reply without a body. */
export const emptyReply = (status: 200 | 204 = 200, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'cache-control': 'no-store', ...headers },
  body: null,
});
