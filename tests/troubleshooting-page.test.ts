import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
const sources = globSync('{src,stages,cache,base}/**/*.{ts,py}', { cwd: root }).map(path =>
  readFileSync(join(root, path), 'utf8'),
)

/** The messages that the page explains. `…` stands for what differs. */
const messages = [...page.matchAll(/^- `([^`]+)` — \S/gm)].map(([, message = '']) => message)
const partsOf = (message: string): readonly string[] => message.split('…').filter(part => /\w{2}/.test(part))

test('every message that docs/troubleshooting.md explains is in one source file', () => {
  const isInOneFile = (message: string): boolean =>
    sources.some(text => partsOf(message).every(part => text.includes(part.trim())))
  expect(messages.filter(message => !isInOneFile(message))).toEqual([])
})

test('docs/troubleshooting.md explains each message once, and every list item begins with one', () => {
  expect(messages.length).toBeGreaterThanOrEqual(40)
  expect(new Set(messages).size).toBe(messages.length)
  expect([...page.matchAll(/^- /gm)]).toHaveLength(messages.length)
})
