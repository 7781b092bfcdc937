// Runs before the first paint, so that a chosen colour scheme never flashes. Kept apart from the application for that.
import { apply_theme, stored_theme } from './state/theme';

apply_theme(stored_theme());
