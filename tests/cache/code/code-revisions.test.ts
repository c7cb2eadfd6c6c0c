import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../cache/code/build-info.js'
import { codeManifest } from '../../../cache/code/code-manifest.js'
import {
  readRevisions,
  revisionManifest,
  revisionsPath,
  selectUnlisted,
  withoutPatch,
  type CodeRevisions,
} from '../../../cache/code/code-revisions.js'
import { codeKey } from '../../../cache/keys.js'
import { temporaryFolder } from '../../support/store.js'
import {
  builtInCodes,
  revisedCodes,
  tableIn,
  unlistedFiles,
  withCurrent,
  withoutBetween,
} from '../../support/built-in-code.js'

const table = tableIn(readFileSync(join(projectRoot, revisionsPath), 'utf8'))

describe('the table of revisions', () => {
  test('lists the current declared files of every built-in backend', async () => {
    const unknown = unlistedFiles(await revisedCodes(), table)
    const advice = [
      'Declared files have contents that stages/model/code-revisions.json does not list.',
      'Can what is sent, or how an answer is read, change? Raise the number of `revision` beside the definition.',
      'Otherwise run `npm run code-revisions -- --add`, which checks the golden corpus and adds the contents.',
    ]
    expect(unknown, advice.join('\n')).toEqual([])
  })

  test('contains no revision after the current one, and no undeclared name', async () => {
    const current = new Map((await revisedCodes()).map(({ revision }) => [revision.name, revision.number]))
    expect(Object.keys(table).sort()).toEqual([...current.keys()].sort())
    for (const [name, numbers] of Object.entries(table))
      expect(Math.max(...Object.keys(numbers).map(Number)), name).toBe(current.get(name))
  })
})

/**
 * Keys of these have the digests of the declared files themselves: the golden corpus of a revision needs a Python model, a library that is not always
 * there, or requests in JSON.
 */
const digestsInKeys = ['transformers_js', 'openai_transcriptions', 'python', 'lmms', 'hf']

test('every built-in backend has a revision, and a revision name belongs to one declaration', async () => {
  const codes = await builtInCodes()
  expect(codes.filter(({ code }) => code.revision === undefined).map(({ backend }) => backend)).toEqual(digestsInKeys)
  for (const name of new Set(codes.flatMap(({ code }) => code.revision?.name ?? []))) {
    const declared = codes.filter(({ code }) => code.revision?.name === name).map(({ code }) => JSON.stringify(code))
    expect(new Set(declared).size, name).toBe(1)
  }
})

test('an error names the path of a missing or damaged table and how to build it', async () => {
  const file = join(await temporaryFolder(), 'code-revisions.json')
  const error = { code: 'config', message: `${file} is missing or damaged: run \`npm run build\`` }
  expect(() => readRevisions(file)).toThrow(expect.objectContaining(error))
  await writeFile(file, '{"openai": {')
  expect(() => readRevisions(file)).toThrow(expect.objectContaining(error))
  await writeFile(file, '{"openai": {}}')
  expect(readRevisions(file)).toEqual({ openai: {} })
})

test('does not report a table as missing if it cannot be read for another reason', async () => {
  const folder = join(await temporaryFolder(), 'code-revisions.json')
  await mkdir(folder)
  expect(() => readRevisions(folder)).toThrow('EISDIR')
})

const revision = { name: 'mine', number: 2 }
const files = ['base/errors/errors.ts', 'base/text/suggest.ts']

async function listed(): Promise<CodeRevisions> {
  return withCurrent({}, [{ revision, files: (await codeManifest({ files })).files }])
}

describe('the code of a built-in backend in keys', () => {
  test('is only the revision if the table lists the contents of the files', async () => {
    expect(await revisionManifest({ files, revision }, await listed())).toEqual({ files: {}, revision })
  })

  test('stays the same if a file changes to another listed content', async () => {
    const before = withCurrent({}, [{ revision, files: { 'base/errors/errors.ts': 'a'.repeat(40) } }])
    const known = withCurrent(before, [{ revision, files: (await codeManifest({ files })).files }])
    expect(known['mine']?.['2']?.['base/errors/errors.ts']).toHaveLength(2)
    expect(codeKey(await revisionManifest({ files, revision }, known))).toEqual(codeKey({ files: {}, revision }))
  })

  test('includes digests of files whose content the revision does not list', async () => {
    const known = await listed()
    const changed = { ...(await codeManifest({ files })).files, 'base/text/suggest.ts': 'b'.repeat(40) }
    expect(selectUnlisted(changed, revision, known)).toEqual({ 'base/text/suggest.ts': 'b'.repeat(40) })
    expect(Object.keys(selectUnlisted(changed, { ...revision, number: 3 }, known))).toEqual(files)
    expect(Object.keys((await revisionManifest({ files, revision }, {})).files)).toEqual(files)
  })

  test('differs between revisions', () => {
    const next = { ...revision, number: 3 }
    expect(codeKey({ files: {}, revision: next }).key).not.toBe(codeKey({ files: {}, revision }).key)
    expect(codeKey({ files: {}, revision: { ...revision, name: 'other' } }).key).not.toBe(
      codeKey({ files: {}, revision }).key,
    )
  })

  test('includes versions of packages without their patch numbers', async () => {
    const { packages } = await revisionManifest({ files, packages: ['zod'], revision }, await listed())
    expect(packages?.['zod']).toMatch(/^\d+\.\d+$/)
    expect(['1.30.0', '0.35.5', '2.0.0-rc.1', '1.30'].map(withoutPatch)).toEqual(['1.30', '0.35', '2.0.0-rc.1', '1.30'])
  })
})

test('adding contents keeps the listed ones in a stable order', () => {
  const older: CodeRevisions = { z: { 1: { 'b.ts': ['1'] } }, a: { 1: { 'x.ts': ['2'] } } }
  const added = withCurrent(older, [{ revision: { name: 'z', number: 1 }, files: { 'b.ts': '3', 'a.ts': '4' } }])
  expect(JSON.stringify(added)).toBe('{"a":{"1":{"x.ts":["2"]}},"z":{"1":{"a.ts":["4"],"b.ts":["1","3"]}}}')
  expect(withCurrent(added, [])).toEqual(added)
})

test('pruning keeps the first, the last and the current content of each file', () => {
  const table: CodeRevisions = {
    a: { 1: { 'x.ts': ['1', '2', '3'] }, 2: { 'x.ts': ['3', '4', '5', '6'], 'y.ts': ['7'] } },
    b: { 1: { 'x.ts': ['8', '9', '10'] } },
  }
  const present = { revision: { name: 'a', number: 2 }, files: { 'x.ts': '5', 'y.ts': '7' } }
  expect(withoutBetween(table, [present])).toEqual({
    a: { 1: { 'x.ts': ['1', '3'] }, 2: { 'x.ts': ['3', '5', '6'], 'y.ts': ['7'] } },
    b: { 1: { 'x.ts': ['8', '10'] } },
  })
})

test('pruning leaves every declared file of every built-in backend listed', async () => {
  const codes = await revisedCodes()
  expect(unlistedFiles(codes, withoutBetween(table, codes))).toEqual([])
})

test('reads the upper side of a table with a merge conflict', () => {
  const conflict = [
    '{"a": {"1": {',
    '<<<<<<< HEAD',
    '"x.ts": ["1", "2"]',
    '||||||| base',
    '"x.ts": ["1"]',
    '=======',
    '"x.ts": ["1", "3"]',
    '>>>>>>> mine',
    '}}}',
    '',
  ]
  expect(tableIn(conflict.join('\n'))).toEqual({ a: { 1: { 'x.ts': ['1', '2'] } } })
  expect(tableIn(conflict.filter(line => !/^\|{7}|\["1"\]/.test(line)).join('\n'))).toEqual({
    a: { 1: { 'x.ts': ['1', '2'] } },
  })
})
