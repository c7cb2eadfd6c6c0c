import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Reads the rows of a golden file under `tests/golden/`, decompressed (`.gz`) and parsed. The caller names their type. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function goldenRows<Row>(path: string): readonly Row[] {
  const bytes = readFileSync(new URL(`../golden/${path}`, import.meta.url))
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes
  return text
    .toString('utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Row)
}
