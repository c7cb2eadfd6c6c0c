import { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import { defineCompare } from '../../../../src/cli/commands/comparing/compare.js'
import type { Tools } from '../../../../src/cli/command.js'
import { evaluate } from '../../../../src/index.js'
import { canCompareLast } from '../../../../src/reading/comparing/pair-samples.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { temporaryFolder } from '../../../support/store.js'

/** Evaluates one task in one store, each time with another answer of the model. */
async function evaluator(metric: string) {
  const folder = await temporaryFolder()
  const [task, store] = [join(folder, 'q.yaml'), join(folder, 'store')]
  const keys = `doc_to_text: "{{q}}"\ndoc_to_target: a\nmetric_list: [{metric: ${metric}}]`
  await writeFile(task, `task: q\ndataset_path: ./docs.jsonl\n${keys}\n`)
  await writeFile(join(folder, 'docs.jsonl'), '{"q":"1","a":"1"}\n{"q":"2","a":"1"}\n')
  const run = (text: string, judge = true) =>
    evaluate({
      store,
      model: 'dummy',
      modelArgs: { mode: 'fixed', text },
      tasks: [task],
      stages: { input: true, model: true, judge },
    })
  return { store, run }
}

const compared = async (store: string, ...runs: readonly string[]): Promise<string> => {
  const lines: string[] = []
  const terminal = {
    print: (text: string | readonly string[]) => void lines.push(...[text].flat()),
    tell: () => undefined,
    paint: { out: plain, err: plain },
  }
  const command = new Command()
  defineCompare(command, { terminal, env: {} } as unknown as Tools, () => undefined)
  await command.parseAsync([...runs, '--store', store], { from: 'user' })
  return lines.join('\n')
}

async function isHinted(dir: string): Promise<boolean> {
  const store = await openStore(dir, { access: 'read' })
  try {
    return await canCompareLast(store)
  } finally {
    await store.close()
  }
}

test('names the command that scores a run without scores, and sends no request', async () => {
  const { store, run } = await evaluator('exact_match')
  const first = await run('1', false)
  expect(await isHinted(store)).toBe(false)
  await run('2')
  expect(await isHinted(store)).toBe(false)
  const name = first.run.name
  await expect(compared(store, 'last~1', 'last')).rejects.toThrow(
    `${name} has no scores: it is not judged yet. Score it:  pipeline judge ${name} --store ${store}`,
  )
  await run('3')
  expect(await isHinted(store)).toBe(true)
  expect(await compared(store, 'last~1', 'last')).toContain('exact_match')
})

test('reports a run whose judgement gave no doc a number as one without scores', async () => {
  const { store, run } = await evaluator('bypass')
  await run('1')
  const { run: second } = await run('2')
  expect(await isHinted(store)).toBe(false)
  await expect(compared(store, 'last', 'last~1')).rejects.toThrow(
    `${second.name} has no scores: it is judged, and no doc has a number.`,
  )
})

test('several runs become a table of pairs, and a margin is a number above 0', async () => {
  const { store, run } = await evaluator('exact_match')
  for (const text of ['1', '2', '3']) await run(text)
  const printed = await compared(store, 'last~2', 'last~1', 'last', '--margin', '0.1')
  expect(printed).toContain('q exact_match')
  expect(printed.match(/^\S+-\S+-\w{4} +2 +[01]\.\d{3} /gm)).toHaveLength(3)
  expect(printed).toContain('adjusted for')
  await expect(compared(store, 'last~1', 'last', '--margin', '0')).rejects.toThrow(
    '--margin: expected a number above 0',
  )
})
