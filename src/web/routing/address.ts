/**
 * Reads and changes the address after `#`, which holds the whole state of the page, so that links can be shared: `#/runs/NAME/samples?only=wrong`.
 * This also works in a report file.
 */
import { useLayoutEffect, useState } from 'preact/hooks'

/** The page and the parameters of the current address. */
export interface Address {
  /** The parts of the path, decoded: `['runs', 'NAME', 'samples']`. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** Parses the fragment of the browser's URL. */
function parseAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s)
  return {
    path: path
      .split('/')
      .filter(part => part !== '')
      .map(decodePart),
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** A person may have cut an address off in the middle of an escape. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** `#/runs/NAME?only=wrong`. Parameters that are undefined or empty are left out. */
export function formatHash(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return `#/${path.map(part => encodeURIComponent(part)).join('/')}${text === '' ? '' : `?${text}`}`
}

/** Shows another page. `replace` changes the address without a step that the back button returns to. */
export function go(hash: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (!replace) location.hash = hash
  else {
    history.replaceState(null, '', hash)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}

/** Follows the address of the browser. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => parseAddress(location.hash))
  // The address may change before a later effect would listen.
  useLayoutEffect(() => {
    const updateAddress = (): void => setAddress(parseAddress(location.hash))
    addEventListener('hashchange', updateAddress)
    return () => removeEventListener('hashchange', updateAddress)
  }, [])
  return address
}

/** Returns the query of the address, and a function that changes some of its parameters. */
export function useQuery(): readonly [
  Address['query'],
  (changes: Readonly<Record<string, string | number | undefined>>) => void,
] {
  const { path, query } = useAddress()
  return [query, changes => go(formatHash(path, { ...query, ...changes }), { replace: true })]
}
