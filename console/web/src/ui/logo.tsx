export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path class="logo-shield" d="M16 2 4 6.500v8.700C4 22 9 27.700 16 30c7-2.300 12-8 12-14.800V6.500z" />
      <path class="logo-mark" d="m9.500 13 3.200 7.500L16 14l3.300 6.500 3.200-7.500" />
    </svg>
  );
}
