import { readFileSync } from 'node:fs'

/** The rows of a golden file under `tests/golden/`, parsed; the caller says what they hold. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function goldenRows<Row>(path: string): readonly Row[] {
  const text = readFileSync(new URL(`../golden/${path}`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Row)
}
