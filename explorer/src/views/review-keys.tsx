import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Where the browser keeps that somebody has switched the keys off. */
const KEPT = 'desk-keys';

/** Calls a function with each key pressed outside of fields without a modifier, unless keys are switched off (WCAG 2.1.4). */
export function useKeys(press: (key: string) => void): [isOn: boolean, turn: (on: boolean) => void] {
  const [isOn, setOn] = useState(localStorage.getItem(KEPT) !== 'off');
  const latest = useRef(press);
  latest.current = press;
  // Before the next key can be pressed: useEffect would wait for the painting.
  useLayoutEffect(() => {
    if (!isOn) return;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const { target } = event;
      if (target instanceof Element && target.closest(FIELDS) !== null) return;
      latest.current(event.key.toLowerCase());
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [isOn]);
  const turn = (on: boolean) => {
    if (on) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, 'off');
    setOn(on);
  };
  return [isOn, turn];
}

/** Where letters are typed, or choose an option. */
const FIELDS = 'input:not([type="checkbox"]), select, textarea, dialog';

/** The setting that switches the keys on and off. */
export const KeySetting = ({ isOn, turn }: { isOn: boolean; turn(on: boolean): void }) => (
  <label class="desk-keys">
    <input type="checkbox" checked={isOn} onChange={(event) => turn(event.currentTarget.checked)} /> Letter
    keys decide
  </label>
);
