// A form with unsaved input is left neither by a link, nor by Back, nor by closing the tab without a question.
import { useEffect } from 'preact/hooks';
import { t } from '../text';
import { set_leave_guard } from './route';

export function use_leave_guard(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return undefined;
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();  // the browser asks in its own words
    set_leave_guard(() => confirm(t.common.unsaved));
    addEventListener('beforeunload', stay);
    return () => {
      set_leave_guard(undefined);
      removeEventListener('beforeunload', stay);
    };
  }, [dirty]);
}
