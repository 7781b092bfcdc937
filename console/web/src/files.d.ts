// Where the catalogues of languages other than English are, by language (build.mjs).
declare const CATALOGUES: Record<string, string>;

// Files that are bundled as text.
declare module '*.yaml' { const text: string; export default text; }
declare module '*.lua' { const text: string; export default text; }
declare module '*.conf' { const text: string; export default text; }
declare module '*.cfg' { const text: string; export default text; }
declare module '*/Caddyfile' { const text: string; export default text; }
