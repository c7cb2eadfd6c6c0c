import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { databaseName } from '../../../../cache/sqlite/connection/schema.js'
import { readRules, writeRules, writeRulesInFull } from '../../../../cache/rows/judging/rules-text.js'
import { createRowSum } from '../../../../cache/rows/sums.js'
import { inStore } from '../../../support/line.js'
import { temporaryFolder, testRun } from '../../../support/store.js'

const code = { files: { 'stages/judge/score.ts': 'a'.repeat(40) } }
const rules = [
  { config: { metric: 'exact_match' }, scorer: code },
  { config: { metric: 'f1' }, scorer: { files: { ...code.files } } },
  { config: { metric: 'own' }, scorer: { files: { 'own.ts': 'b'.repeat(40) } } },
  { config: { metric: 'own' }, scorer: { files: { 'own.ts': 'b'.repeat(40) } } },
]

test('writes the description of code that tasks share once', () => {
  const text = writeRules(rules)
  expect(text.match(/a{40}/g)).toHaveLength(1)
  expect(text.match(/b{40}/g)).toHaveLength(1)
  const read = readRules(text)
  expect(read).toEqual(rules)
  expect(read[1]?.scorer).toBe(read[0]?.scorer)
  expect(writeRules(read)).toBe(text)
})

test('reads and writes the rules of one task in the older format', () => {
  expect(writeRules(rules.slice(0, 1))).toBe(writeRulesInFull(rules.slice(0, 1)))
  expect(readRules(writeRulesInFull(rules))).toEqual(rules)
})

test('throws an error for a reference to a task without a description', () => {
  expect(() => readRules('[{"config":{},"scorer":3}]')).toThrow('code of task 3')
})

test('a judgement stored by an older version can be continued and closed', async () => {
  const dir = await temporaryFolder()
  await inStore(dir, async store => store.judgements.open(await testRun(store), rules))
  const full = writeRulesInFull(rules)
  const sum = (await createRowSum())(full, null)
  const db = new Database(join(dir, databaseName))
  db.prepare('UPDATE judgement SET tasks = ?, sum = ?').run(full, sum)
  db.close()
  await inStore(dir, async store => {
    const run = await testRun(store)
    const judgement = await store.judgements.open(run, rules)
    expect(judgement.number).toBe(1)
    await store.judgements.close(judgement, [])
    expect((await store.judgements.list(run)).map(({ tasks }) => tasks.map(({ judging }) => judging))).toEqual([rules])
    expect((await store.upkeep.verify({ repair: false })).damaged).toEqual([])
  })
})
