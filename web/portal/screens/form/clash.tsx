import { useId, useState } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { textOf } from '../../../fields/format.ts';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { rowName } from '../../fields/value.tsx';
import { pointedTo } from '../../queries/query.ts';
import { entityIn, fieldIn, useScreens } from '../../queries/screens.ts';
import styles from './form-page.module.css';
import type { ClashOf } from './use-save-changes.ts';

/** For each field that the member and another caller have changed, shows both values and lets the member choose one. */
export function Clash({
  entity,
  clash,
  onChoose,
}: {
  entity: PortalEntity;
  clash: ClashOf;
  /** Called with the names of the fields for which the member keeps their own value. */
  onChoose: (own: ReadonlySet<string>) => void;
}) {
  const all = useScreens();
  const id = useId();
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const names = Object.keys(clash.own);
  const theirs = (name: string) => {
    const field = fieldIn(entity, name);
    const target = field?.reference && entityIn(all, field.reference.entity);
    const pointed = pointedTo(clash.now, name);
    if (target && pointed) return rowName(all, target, pointed);
    return field ? textOf(field, clash.now[name]) : '';
  };
  return (
    <div className={styles.clash} role="alert">
      <h2>{t('clashTitle')}</h2>
      <p>{t('clashChoose', { saved: clash.hasSaved ? 'yes' : 'no' })}</p>
      {names.map((name) => {
        const field = fieldIn(entity, name);
        const choose = (isOwn: boolean) =>
          setOwn(new Set(isOwn ? [...own, name] : [...own].filter((one) => one !== name)));
        return (
          field && (
            <fieldset key={name}>
              <legend>{field.label}</legend>
              <label>
                <input type="radio" name={`${id}-${name}`} checked={!own.has(name)} onChange={() => choose(false)} />
                <bdi>{theirs(name)}</bdi>
                <small>{t('clashTheirs')}</small>
              </label>
              <label>
                <input type="radio" name={`${id}-${name}`} checked={own.has(name)} onChange={() => choose(true)} />
                <bdi>{field.reference ? t('clashOwnChoice') : textOf(field, clash.own[name])}</bdi>
                <small>{t('clashOwn')}</small>
              </label>
            </fieldset>
          )
        );
      })}
      <div>
        <Button onClick={() => onChoose(own)}>{t('clashKeep')}</Button>
      </div>
    </div>
  );
}
