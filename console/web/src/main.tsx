// The page's entry.
import { render } from 'preact';

render(<main class="boot">wafd</main>, document.getElementById('app')!);
