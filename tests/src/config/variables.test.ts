import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeTimeout, recordMegabytes, variable, variables } from '../../../src/config/variables.js'
import { projectRoot } from '../../../cache/code/project-root.js'

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8')
const sources = globSync('{base,cache,stages,src}/**/*.{ts,tsx}', { cwd: projectRoot }).map(path => read(path))

/** The program sets this variable in engines that it starts. */
const ownMarks = new Set(['PIPELINE_ENGINE'])

/** Variables that backends declare for themselves; docs/models/ describes them. */
const declaredBy = (text: string): readonly string[] =>
  [...text.matchAll(/[vV]ariables?:? ?[:=] ?\[?([^\]\n]+)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'([A-Z][A-Z0-9_]+)'/g)].map(([, name = '']) => name),
  )

const readIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/\benv\[['"]([A-Z][A-Z0-9_]+)['"]\]/g)].map(([, name = '']) => name),
  ...[...text.matchAll(/\b(?:variable|numberIn)\((?:\w+\.)?env, '(\w+)'/g)].map(([, name = '']) => name),
  ...[...text.matchAll(/\b(PIPELINE_[A-Z_]+[A-Z])\b/g)].map(([, name = '']) => name),
]

test('docs/cli/environment.md contains the table of variables', () => {
  const rows = [...read('docs/cli/environment.md').matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, name, text]) => [
    name,
    text,
  ])
  expect(rows).toEqual(Object.entries(variables).map(([name, { docs }]) => [name, docs]))
})

test('every variable that a source file reads is in the table, or in docs/models/ for a backend', () => {
  const models = globSync('docs/models/*.md', { cwd: projectRoot }).map(read).join('\n')
  const ofBackends = new Set(sources.flatMap(declaredBy))
  const unknown = [...new Set(sources.flatMap(readIn))].filter(
    name => !(name in variables) && !ownMarks.has(name) && !models.includes(name),
  )
  expect(unknown.sort()).toEqual([])
  expect([...ofBackends].filter(name => !(name in variables) && !models.includes(name)).sort()).toEqual([])
  expect(ofBackends.has('OPENAI_API_KEY')).toBe(true)
})

test('a variable without a value is not set, and rejects a number out of range', () => {
  expect(variable({ PIPELINE_PYTHON: '  ' }, 'PIPELINE_PYTHON')).toBeUndefined()
  expect(codeTimeout({})).toBeUndefined()
  expect(codeTimeout({ PIPELINE_CODE_TIMEOUT: '0.1' })).toBe(0.1)
  expect(() => codeTimeout({ PIPELINE_CODE_TIMEOUT: 'soon' })).toThrow(
    'PIPELINE_CODE_TIMEOUT is "soon": give the seconds that code of a task may take for one doc, from 0.1 to 86400',
  )
  expect(() => recordMegabytes({ PIPELINE_MAX_RECORD_MB: '401' })).toThrow('from 1 to 400')
})
