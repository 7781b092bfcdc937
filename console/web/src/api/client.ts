// Calls to the server: JSON both ways, problem documents as errors. Nothing else in the page calls fetch.

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  member?: string;
  offset?: number;
  expected?: string;
  retry_after_s?: number;
  oldest_ms?: number;
}

export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
  get kind(): string {
    return this.problem.type.replace(/^.*:/, '');
  }
}

// The server could not be reached, or did not answer in JSON.
export class NetworkError extends Error {}

let on_unauthenticated: () => void = () => {};
export function when_unauthenticated(act: () => void): void {
  on_unauthenticated = act;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface CallOptions {
  body?: unknown;
  signal?: AbortSignal;
  etag?: string | undefined;
}

async function problem_of(response: Response): Promise<Problem> {
  const fallback = { type: 'about:blank', title: response.statusText || 'Error', status: response.status, detail: '' };
  try {
    return { ...fallback, ...((await response.json()) as Partial<Problem>) };
  } catch {
    return fallback;
  }
}

export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  // The page says problems in its own language by itself: lib/reasons.ts.
  const headers: Record<string, string> = { Accept: 'application/json', 'Accept-Language': 'en' };
  if (method !== 'GET') headers['X-Wafd-Csrf'] = '1';
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  if (options.etag) headers['If-Match'] = options.etag.startsWith('"') ? options.etag : `"${options.etag}"`;
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...(options.body !== undefined ? { body: JSON.stringify(options.body) } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new NetworkError();
  }
  if (!response.ok) {
    const error = new ApiError(await problem_of(response));
    if (response.status === 401 && error.kind === 'unauthenticated') on_unauthenticated();
    throw error;
  }
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

// The texts of a language: an asset of the page.
export async function read_catalogue<T>(path: string): Promise<T> {
  const response = await fetch(path, { credentials: 'same-origin', redirect: 'error' });
  if (!response.ok) throw new NetworkError();
  return (await response.json()) as T;
}

export function is_abort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

export type Parameters = Record<string, string | number | null | undefined>;

export function with_parameters(path: string, parameters: Parameters): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}
