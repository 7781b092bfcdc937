// The way to a document that the console serves itself (docs.mjs): a tab of its own, so that nothing typed is lost.
import { t } from '../text';

export function DocLink({ name }: { name: string }) {
  return <a class="doc-link" href={`/docs/${name}`} target="_blank" rel="noreferrer" data-testid="doc-link">{t.common.documentation}</a>;
}
