import { Command } from 'commander'
import { expect, test } from 'vitest'
import type { Store } from '../../../../cache/store.js'
import type { Tools } from '../../../../src/cli/command.js'
import { defineCompare } from '../../../../src/cli/commands/comparing/compare.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { aggregate } from '../../../support/report-data.js'
import { temporaryStore } from '../../../support/store.js'
import { viewedRun, type ViewedDoc } from '../../../support/viewed-run.js'

const makeDoc = (id: string, answer: string, acc: number, subject: string): ViewedDoc => ({
  id,
  prompt: `Question ${id}?`,
  answer,
  score: { values: { acc }, groups: { subject } },
})

/** Two runs on four docs: the second loses both docs of Art, and wins one of Bio. */
async function scene(): Promise<Store> {
  const store = await temporaryStore()
  const options = (model: string) => ({
    aggregates: [aggregate({ metric: 'acc' })],
    extra: { model: { backend: 'dummy', args: { model } } },
  })
  const before = [
    ['1', 'red', 1],
    ['2', 'blue', 1],
    ['3', 'no', 0],
    ['4', 'yes', 1],
  ] as const
  const after = [
    ['1', 'pink', 0],
    ['2', 'grey', 0],
    ['3', 'yes', 1],
    ['4', 'yes', 1],
  ] as const
  const subject = (id: string): string => (id < '3' ? 'Art' : 'Bio')
  await viewedRun(
    store,
    before.map(([id, answer, acc]) => makeDoc(id, answer, acc, subject(id))),
    options('a'),
  )
  await viewedRun(
    store,
    after.map(([id, answer, acc]) => makeDoc(id, answer, acc, subject(id))),
    options('b'),
  )
  return store
}

async function compare(store: Store, ...flags: readonly string[]): Promise<string> {
  const lines: string[] = []
  const print = (text: string | readonly string[]): void => void lines.push(...[text].flat())
  const terminal = { print, printData: print, tell: print, paint: { out: { ...plain, columns: 80 }, err: plain } }
  const command = new Command()
  defineCompare(command, { terminal, env: {} } as unknown as Tools, () => undefined)
  await command.parseAsync(['last~1', 'last', '--store', store.location, ...flags], { from: 'user' })
  return lines.join('\n')
}

test('the group with the largest loss comes first, and the parts add up to the difference', async () => {
  const { groups } = JSON.parse(await compare(await scene(), '--by', 'subject', '--json')) as {
    readonly groups: readonly { group: string; n: number; difference: number; contribution: number }[]
  }
  expect(groups.map(({ group, n, difference, contribution }) => [group, n, difference, contribution])).toEqual([
    ['Art', 2, -1, -0.5],
    ['Bio', 2, 0.5, 0.25],
  ])
})

test('tells a missing value from a text that reads like one', async () => {
  const store = await temporaryStore()
  const docs = ['(none)', null].map((colour, at): ViewedDoc => ({
    ...makeDoc(String(at), 'red', at, 'Art'),
    record: { doc: { colour } },
    score: { values: { acc: at } },
  }))
  for (const model of ['a', 'b'])
    await viewedRun(store, docs, {
      aggregates: [aggregate({ metric: 'acc' })],
      extra: { model: { backend: 'dummy', args: { model } } },
    })
  const text = await compare(store, '--by', 'colour')
  expect(text).toMatch(/ "\(none\)" /)
  expect(text).toMatch(/ \(none\) /)
})

test('the table by groups names the field and the contribution of each group', async () => {
  const text = await compare(await scene(), '--by', 'subject')
  expect(text).toContain('subject')
  expect(text).toMatch(/Art .*−0\.500/)
})

test('lists the fields of docs for an unknown field', async () => {
  await expect(compare(await scene(), '--by', 'subjct')).rejects.toThrow('Did you mean "subject"?')
})

test('shows the question of a changed doc once, with both answers side by side', async () => {
  const text = await compare(await scene(), '--samples', 'worsened', '--limit', '1')
  expect(text.match(/Question 1\?/g)).toHaveLength(1)
  expect(text).toMatch(/ {2}red +│ pink/)
  expect(text).toMatch(/acc 1\.000 +│ .*acc 0\.000/)
  expect(text).toContain('2 docs worsened, the first 1 shown')
})

test('changed docs are those whose first metric differs, and an id selects one doc', async () => {
  const store = await scene()
  const idsOf = async (...flags: readonly string[]): Promise<readonly string[]> => {
    const text = await compare(store, ...flags, '--json', '--quiet')
    return (JSON.parse(text) as { samples: readonly { doc_id: string }[] }).samples.map(({ doc_id }) => doc_id)
  }
  expect(await idsOf('--samples')).toEqual(['1', '2', '3'])
  expect(await idsOf('--samples', 'improved')).toEqual(['3'])
  expect(await idsOf('--samples', 'shapes_vqa/4')).toEqual(['4'])
})

test('wraps long answers at half the width of the terminal', async () => {
  const store = await temporaryStore()
  for (const [at, word] of ['alpha', 'omega'].entries())
    await viewedRun(store, [makeDoc('1', `${word} `.repeat(40).trim(), at, 'Art')], {
      aggregates: [aggregate({ metric: 'acc' })],
      extra: { model: { backend: 'dummy', args: { model: word } } },
    })
  const lines = (await compare(store, '--samples')).split('\n').filter(line => line.includes('alpha'))
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.every(line => line.length <= 80 && line.includes('omega'))).toBe(true)
})
