import type { Labels, LabelTexts } from '../../../../contract/description.ts';
import type { PortalAction, PortalEntity, PortalField, PortalScreen } from '../../../../contract/portal.ts';
import { labelKeys } from '../../derive/chapters/screens/labels.ts';

/** Texts of derived labels, by language. */
const words = {
  en: {
    new: (one: string) => `New ${one}`,
    change: (one: string) => `Change ${one}`,
    by: (label: string, field: string) => `${label} by ${field}`,
    calendar: (label: string) => `Calendar of ${label.toLowerCase()}`,
    lists: 'Lists',
    number: 'Number',
  },
  de: {
    new: (one: string) => `Neu: ${one}`,
    change: (one: string) => `${one} ändern`,
    by: (label: string, field: string) => `${label} nach ${field}`,
    calendar: (label: string) => `Kalender: ${label}`,
    lists: 'Listen',
    number: 'Nummer',
  },
  ar: {
    new: (one: string) => `جديد: ${one}`,
    change: (one: string) => `تغيير ${one}`,
    by: (label: string, field: string) => `${label} حسب ${field}`,
    calendar: (label: string) => `تقويم ${label}`,
    lists: 'القوائم',
    number: 'الرقم',
  },
};

/** Languages in which the pages have texts of their own. */
export const portalLanguages: readonly string[] = Object.keys(words);

/** The labels of an app in one language. The portal shows them in place of names and comments. */
export class MemberLabels {
  readonly #labels: Readonly<Record<string, LabelTexts>>;
  readonly #words: (typeof words)['en'];
  readonly #language: string;
  readonly #tag: string;

  /** @param language A tag such as `de` or `pt-BR`. */
  constructor(labels: Labels | undefined, language: string) {
    const base = language.split('-')[0] ?? '';
    this.#labels = { ...labels?.[base], ...labels?.[language] };
    this.#words = Object.hasOwn(words, base) ? words[base as 'en'] : words.en;
    this.#language = base;
    this.#tag = language;
  }

  /** Title of the group with the derived lists. */
  get lists(): string {
    return this.#words.lists;
  }

  #of(key: string): LabelTexts | undefined {
    return Object.hasOwn(this.#labels, key) ? this.#labels[key] : undefined;
  }

  role(name: string, label: string): string {
    return this.#of(labelKeys.role(name))?.label ?? label;
  }

  entity(entity: PortalEntity): PortalEntity {
    const found = this.#of(entity.id);
    const { machine } = entity;
    return {
      ...entity,
      label: found?.label ?? entity.label,
      one: found?.one ?? entity.one,
      help: found?.help ?? entity.help,
      fields: entity.fields.map((field) => this.#field(entity.id, field)),
      machine: machine && {
        ...machine,
        states: machine.states.map((state) => ({ ...state, ...this.#value(entity.id, machine.field, state) })),
        transitions: machine.transitions.map((transition) => ({
          ...transition,
          label: this.#of(labelKeys.transition(entity.id, machine.field, transition.name))?.label ?? transition.label,
        })),
      },
    };
  }

  #value<V extends { readonly value: string; readonly label: string }>(entity: string, field: string, value: V): V {
    return { ...value, label: this.#of(labelKeys.value(entity, field, value.value))?.label ?? value.label };
  }

  #field(entity: string, field: PortalField): PortalField {
    const found = this.#of(labelKeys.field(entity, field.name));
    const isNumber = field.name === 'id' && field.label === words.en.number;
    return {
      ...field,
      label: found?.label ?? (isNumber ? this.#words.number : field.label),
      help: found?.help ?? field.help,
      values: field.values?.map((value) => this.#value(entity, field.name, value)) ?? null,
    };
  }

  action(id: string, action: PortalAction): PortalAction {
    const found = this.#of(labelKeys.action(id));
    return { ...action, label: found?.label ?? action.label, help: found?.help ?? action.help };
  }

  /** Returns the text of the language from the texts of a definition, or else its standard text. */
  ofTexts(texts: Readonly<Record<string, string>> | undefined, text: string): string {
    const found = [this.#tag, this.#language].find((tag) => texts && Object.hasOwn(texts, tag));
    return (found && texts?.[found]) ?? text;
  }

  /** Returns the title of a defined screen. */
  screen(route: string, title: string): string {
    return this.#of(route)?.label ?? title;
  }

  /** Returns the words in place of rows of a screen. Their translation is the help of the screen's label. */
  empty(route: string, words: string | undefined): string | null {
    return words === undefined ? null : (this.#of(route)?.help ?? words);
  }

  /** Returns the title of a screen that has no title of its own, from the label of its entity. */
  derivedTitle({ kind, route, title }: Pick<PortalScreen, 'kind' | 'route' | 'title'>, entity: PortalEntity): string {
    const own = this.#of(route)?.label;
    if (own !== undefined) return own;
    const { one, label, access, machine, fields } = entity;
    switch (kind) {
      case 'form':
        return access.insert.open ? this.#words.new(one) : this.#words.change(one);
      case 'detail':
        return one.slice(0, 1).toUpperCase() + one.slice(1);
      case 'board':
        return this.#words.by(label, this.#stateName(fields, machine?.field ?? title));
      case 'calendar':
        return this.#words.calendar(label);
      default:
        return label;
    }
  }

  /** Returns the name of the state in the title of a board. In English it is the name of the field. */
  #stateName(fields: readonly PortalField[], name: string): string {
    return this.#language === 'en' ? name : (fields.find((field) => field.name === name)?.label ?? name);
  }
}
