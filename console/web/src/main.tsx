// The page's entry.
import { render } from 'preact';
import { App } from './app';
import { start_language } from './state/language';

void start_language().then(() => render(<App />, document.getElementById('app') as HTMLElement));
