// Inline icons, 16 units square, drawn with the current text colour. Always beside a text or in a named button.
const paths = {
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.300 10.300 13.500 13.500',
  close: 'M3.500 3.500l9 9M12.500 3.500l-9 9',
  play: 'M5 3.500v9l7-4.500z',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  columns: 'M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  copy: 'M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1',
  check: 'M3 8.500 6.500 12 13 4.500',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  left: 'M10 4 6 8l4 4',
  right: 'M6 4l4 4-4 4',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  moon: 'M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500z',
  screen: 'M2 3h12v8H2zM6 13.500h4M8 11v2.500',
  user: 'M8 2.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM3 13.500c0-2.500 2-4 5-4s5 1.500 5 4',
  help: 'M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 0 0 8 1.800zM6.200 6.200c.2-2.200 3.800-2 3.700.2C9.800 7.800 8 7.800 8 9.300M8 11.300v.2',
  download: 'M8 2v8M4.500 7 8 10.500 11.500 7M2.500 13.500h11',
  warning: 'M8 2 14.500 13.500h-13zM8 6.500v3.500M8 11.800v.2',
  bolt: 'M9 1.500 3.500 9H8l-1 5.500L12.500 7H8z',
  link: 'M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 0 1 4.300 4.300L11.300 8.800M9 11.500 7.500 13a3 3 0 0 1-4.300-4.300L4.700 7.200',
  pin: 'M6 1.800h4l-.500 4.200 2.500 2.500v1H4v-1l2.500-2.500zM8 9.500v5',
  star: 'M8 1.800l1.900 4 4.300.500-3.200 3 .900 4.300L8 11.500l-3.900 2.100.900-4.300-3.200-3 4.300-.500z',
  calendar: 'M2.500 3.500h11v10h-11zM2.500 6.500h11M5.500 2v3M10.500 2v3',
  home: 'M2 8l6-5.500L14 8M4 7v6.500h8V7',
  trash: 'M3 4.500h10M6 4.500V3h4v1.500M4.500 4.500l.5 9h6l.5-9',
  exit: 'M6.500 2.500h-4v11h4M6 8h7.500M10.500 5l3 3-3 3',
  unlock: 'M3.500 7.500h9v6h-9zM5.500 7.500V5a2.500 2.500 0 0 1 4.800-1',
  block: 'M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 0 0 8 1.800zM3.700 3.700l8.600 8.600',
  upload: 'M8 10.500V2M4.500 5.500 8 2l3.500 3.500M2.500 13.500h11',
  shield: 'M8 1.500 2.500 3.700v4c0 3.300 2.300 5.500 5.500 6.800 3.200-1.300 5.500-3.500 5.500-6.800v-4z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
