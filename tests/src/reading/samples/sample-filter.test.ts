import { Command } from 'commander'
import { expect, test } from 'vitest'
import type { OpenedRun, Store } from '../../../../cache/store.js'
import type { Tools } from '../../../../src/cli/command.js'
import { defineReport } from '../../../../src/cli/commands/report/report.js'
import type { OpenedStore } from '../../../../src/library/options/evaluate-options.js'
import { evaluatedRun } from '../../../../src/library/runs/results.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { counts } from '../../../support/report-data.js'
import { temporaryStore } from '../../../support/store.js'
import { viewedRun } from '../../../support/viewed-run.js'

const docs = [
  { id: 'a1', answer: 'The sky', score: { values: { acc: 1 }, groups: { subject: 'Art' } } },
  { id: 'a2', answer: 'I cannot say', score: { values: { acc: 0 }, groups: { subject: 'Art' } } },
  { id: 'b,1', answer: 'I am unable', score: { values: { acc: 0.5, 'f1,strict': 0.25 }, groups: { subject: 'Bio' } } },
  { id: '[x]', answer: 'the end', record: { target: null, doc: { level: 3 } } },
]

async function scene() {
  const store = await temporaryStore()
  const opened = await viewedRun(store, docs)
  return { store, opened }
}

/** Runs `report` and returns the ids that it prints, and what it tells. */
async function report(store: Store, opened: OpenedRun, ...flags: readonly string[]) {
  const [ids, told]: [string[], string[]] = [[], []]
  const terminal = {
    print: () => undefined,
    printData: (line: string) => void ids.push((JSON.parse(line) as { doc_id: string }).doc_id),
    tell: (text: string | readonly string[]) => void told.push(...[text].flat()),
    paint: { out: plain, err: plain },
  }
  const command = new Command()
  defineReport(command, { terminal, env: {} } as unknown as Tools, () => undefined)
  await command.parseAsync([opened.run.name, '--json', '--store', store.location, ...flags], { from: 'user' })
  return { ids, told }
}

test.each([
  [['--samples', 'a1'], ['a1']],
  [['--samples', 'shapes_vqa/a2'], ['a2']],
  [
    ['--samples', 'a?'],
    ['a1', 'a2'],
  ],
  [
    ['--samples', 'a2,a1'],
    ['a1', 'a2'],
  ],
  [['--samples', 'b,1'], ['b,1']],
  [['--samples', '[x]'], ['[x]']],
  [
    ['--where', 'subject=Art'],
    ['a1', 'a2'],
  ],
  [['--where', 'subject=B*'], ['b,1']],
  [['--where', 'level=3'], ['[x]']],
  [
    ['--score', 'acc<1'],
    ['a2', 'b,1'],
  ],
  [['--score', 'acc >= .5', '--score', 'acc!=1'], ['b,1']],
  [['--score', 'f1 < 0.5'], ['b,1']],
  [
    ['--answer', '^I (cannot|am unable)'],
    ['a2', 'b,1'],
  ],
  [['--samples', 'wrong', '--where', 'subject=Art'], ['a2']],
])('%j selects %j', async (flags, ids) => {
  const { store, opened } = await scene()
  expect((await report(store, opened, ...flags)).ids).toEqual(ids)
})

test.each([
  [['--samples', 'c9'], 'no doc of the run has the id "c9"'],
  [['--samples', 'wrng'], 'Did you mean "wrong"?'],
  [['--where', 'subjct=Art'], 'Did you mean "subject"?'],
  [['--where', 'subject=Arts'], 'values: Art, Bio'],
  [['--where', 'subject'], 'expected FIELD=VALUE'],
  [['--score', 'acc'], 'expected a condition such as "acc<1"'],
  [['--score', 'ac<1'], 'Did you mean "acc"?'],
  [['--answer', '('], 'is no regular expression'],
])('rejects %j: %s', async (flags, message) => {
  const { store, opened } = await scene()
  await expect(report(store, opened, ...flags)).rejects.toThrow(message)
})

test('notes one unknown id among known ones', async () => {
  const { store, opened } = await scene()
  const { ids, told } = await report(store, opened, '--samples', 'a1,zz')
  expect(ids).toEqual(['a1'])
  expect(told.join('\n')).toContain('note: no doc of the run has the id "zz"')
})

test('programs select by the same conditions', async () => {
  const { store, opened } = await scene()
  const outcome = { ...opened, counts: counts(), failures: [], unjudged: 0, isNew: false, elapsedMs: 0 }
  const run = evaluatedRun({ ...outcome, asked: 0, fromStore: 0 }, { dir: '', given: store as OpenedStore })
  const ids: string[] = []
  for await (const { id } of run.samples({ only: 'wrong', where: ['subject=*'], score: ['acc>0'] })) ids.push(id)
  expect(ids).toEqual(['b,1'])
})
