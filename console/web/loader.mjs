// Files that the page shows as they are: configurations of gateways.
export const loader = { '.yaml': 'text', '.lua': 'text', '.conf': 'text', '.cfg': 'text', '': 'text' };
