import { t } from '../text';
import { DocLink } from '../ui/doc_link';
import { Dialog } from '../ui/panel';

export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t.help.title} onClose={onClose} testid="help-dialog">
      <div class="help-columns">
        <section>
          <h3>{t.help.keys}</h3>
          <dl class="help-list">{Object.entries(t.help.rows).map(([key, text]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{text}</dd></div>)}</dl>
        </section>
        <section>
          <h3>{t.help.query}</h3>
          <dl class="help-list">{Object.entries(t.help.terms).map(([key, text]) => <div key={key}><dt><code>{key}</code></dt><dd>{text}</dd></div>)}</dl>
          <p class="hint">{t.help.fields} <DocLink name="query" /></p>
        </section>
      </div>
    </Dialog>
  );
}
