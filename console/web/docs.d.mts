export const documents: Record<string, string>;
export function html_of(text: string, file: string): string;
export function make_documents(root: string, css: string, icon: string): [string, string][];
