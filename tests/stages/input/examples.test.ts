import { describe, expect, it } from 'vitest'
import { generationFor } from '../../../stages/input/generation.js'
import { prepareTask } from '../../../stages/input/prepare-task.js'
import type { Prompting } from '../../../stages/input/prompting.js'
import type { DraftMessage } from '../../../stages/input/render/messages.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { temporaryFolder } from './temp-folder.js'

const folder = temporaryFolder()

const base = 'task: t\ndataset_path: ./data\ntest_split: test\ndoc_to_text: q\ndoc_to_target: a\n'
const line = (docs: readonly object[]): string => docs.map(doc => JSON.stringify(doc)).join('\n')
const docs = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ q: `${name}${i}?`, a: `${name.toUpperCase()}${i}` }))

async function taskOf(yaml: string, train: readonly object[] = docs('t', 30), test = docs('q', 4)): Promise<Task> {
  await folder.write('data/test.jsonl', line(test))
  await folder.write('data/train.jsonl', line(train))
  return loadTask(await folder.write('t.yaml', `${base}${yaml}`), { cacheDir: folder.path('cache') })
}

async function prompts(task: Task, prompting: Prompting = {}): Promise<readonly (readonly DraftMessage[])[]> {
  const prepared = await prepareTask(task, prompting)
  const choose = prepared.examples?.()
  const found = []
  for await (const doc of prepared.docs()) {
    const rendered = prepared.renderer.render(doc, choose?.(doc))
    if (rendered.type === 'failed') throw new Error(rendered.reason)
    found.push(rendered.messages)
  }
  return found
}

const text = (messages: readonly DraftMessage[] | undefined): string =>
  (messages ?? [])
    .map(
      ({ role, content }) =>
        `${role}: ${content.map(part => (part.type === 'text' ? part.text : `<${JSON.stringify(part.source)}>`)).join('')}`,
    )
    .join(' / ')

describe('few-shot examples', () => {
  it("are the first of their split in one text, with the task's delimiters", async () => {
    const task = await taskOf('training_split: train\nnum_fewshot: 2\nfewshot_config: {sampler: first_n}\n')
    expect(text((await prompts(task))[1])).toBe('user: t0? T0\n\nt1? T1\n\nq1?')
    const other = await taskOf(
      'fewshot_split: train\nnum_fewshot: 1\nfewshot_config: {sampler: first_n}\ndescription: "Be brief. "\ntarget_delimiter: "="\nfewshot_delimiter: "##"\n',
    )
    expect(text((await prompts(other))[0])).toBe('user: Be brief. t0?=T0##q0?')
  })

  it('are drawn for each doc as random.Random(1234).sample draws, or with another seed', async () => {
    const task = await taskOf('fewshot_split: train\nnum_fewshot: 2\n')
    const shown = (await prompts(task)).map(messages => text(messages).match(/T\d+/g))
    expect(shown).toEqual([
      ['T24', 'T14'],
      ['T3', 'T0'],
      ['T2', 'T29'],
      ['T25', 'T18'],
    ])
    expect(text((await prompts(task, { seed: 7 }))[0]).match(/T\d+/g)).toEqual(['T10', 'T4'])
  })

  it('are as many as --num_fewshot says, but none if the task says 0', async () => {
    const one = { numFewshot: 1 }
    const task = await taskOf('fewshot_split: train\nfewshot_config: {sampler: first_n}\n')
    expect(text((await prompts(task))[0])).toBe('user: q0?')
    expect(text((await prompts(task, one))[0])).toBe('user: t0? T0\n\nq0?')
    const never = await taskOf('fewshot_split: train\nnum_fewshot: 0\n')
    expect(text((await prompts(never, one))[0])).toBe('user: q0?')
  })

  it("become turns of a conversation after the task's system message", async () => {
    const task = await taskOf(
      'fewshot_split: train\nnum_fewshot: 1\nfewshot_config: {sampler: first_n}\ndescription: "Be brief."\n',
    )
    expect(text((await prompts(task, { asTurns: true }))[0])).toBe(
      'system: Be brief. / user: t0? / assistant: T0 / user: q0?',
    )
  })

  it("precede the task's own messages as turns, and its system message appears once", async () => {
    await folder.write(
      'utils.ts',
      `export const messages = doc => [{ role: 'system', content: 'S' }, { role: 'user', content: doc.q }]`,
    )
    const task = await taskOf(
      'fewshot_split: train\nnum_fewshot: 1\nfewshot_config: {sampler: first_n}\ndoc_to_messages: !function utils.messages\n',
    )
    expect(text((await prompts(task))[0])).toBe('system: S / user: t0? / assistant: T0 / user: q0?')
    expect(text((await prompts(task, { form: 'simple' }))[0])).toBe('user: t0? T0\n\nq0?')
  })

  it('are one text for a base model, after system instruction and description', async () => {
    const config = 'fewshot_split: train\nnum_fewshot: 1\nfewshot_config: {sampler: first_n}\n'
    const asText = { form: 'text', asTurns: true } as const
    const task = await taskOf(`${config}description: "D: "\n`)
    expect(text((await prompts(task, asText))[0])).toBe('user: D: t0? T0\n\nq0?')
    expect(text((await prompts(task, { ...asText, system: 'S.' }))[0])).toBe('user: S.\n\nD: t0? T0\n\nq0?')
    expect(text((await prompts(await taskOf(config), { ...asText, system: 'S.' }))[0])).toBe('user: S.t0? T0\n\nq0?')
    const alone = await taskOf('fewshot_split: train\ndescription: "D: "\n')
    expect(text((await prompts(alone, asText))[0])).toBe('user: D: q0?')
    expect(text((await prompts(alone, { ...asText, system: 'S.' }))[0])).toBe('user: S.\n\nD: q0?')
    expect(text((await prompts(await taskOf(''), { ...asText, system: 'S.' }))[0])).toBe('user: S.q0?')
  })

  it('show their media, each before its own text', async () => {
    const pictured = (name: string) => docs(name, 2).map((doc, i) => ({ ...doc, image: `${name}${i}.png` }))
    const task = await taskOf(
      'fewshot_split: train\nnum_fewshot: 2\nfewshot_config: {sampler: first_n}\ndoc_to_visual: image\ndescription: "D: "\n',
      pictured('t'),
      pictured('q'),
    )
    expect(text((await prompts(task))[0])).toBe('user: D: <"t0.png">t0? T0\n\n<"t1.png">t1? T1\n\n<"q0.png">q0?')
    expect(text((await prompts(task, { asTurns: true }))[0])).toBe(
      'system: D:  / user: <"t0.png">t0? / assistant: T0 / user: <"t1.png">t1? / assistant: T1 / user: <"q0.png">q0?',
    )
  })

  it('never contain the evaluated doc; another one is drawn instead', async () => {
    const task = await taskOf('num_fewshot: 2\nfewshot_config: {sampler: first_n}\n')
    const shown = (await prompts(task)).map(messages => text(messages).match(/Q\d+/g))
    expect(shown).toEqual([
      ['Q1', 'Q2'],
      ['Q0', 'Q2'],
      ['Q0', 'Q1'],
      ['Q0', 'Q1'],
    ])
  })

  it('may be listed in the task or made by a function, with a template of their own', async () => {
    const config = 'num_fewshot: 1\nfewshot_config:\n  sampler: first_n\n  doc_to_text: "Example: {{q}}"\n'
    const task = await taskOf(`${config}  samples: [{q: "1+1?", a: "2"}, {q: "2+2?", a: "4"}]\n`)
    expect(text((await prompts(task))[0])).toBe('user: Example: 1+1? 2\n\nq0?')
    await folder.write('utils.ts', `export const samples = () => [{ q: 'f?', a: ['x', 'y'] }]`)
    const made = await taskOf(`${config}  samples: !function utils.samples\n`)
    expect(text((await prompts(made))[0])).toBe('user: Example: f? x\n\nq0?')
  })

  it('add their delimiter to until if they are one text, unless the task sets until', async () => {
    const task = await taskOf('fewshot_split: train\nnum_fewshot: 1\n')
    expect(generationFor(task)).toEqual({ until: ['\n\n'] })
    expect(generationFor(task, { asTurns: true })).toEqual({})
    expect(generationFor(await taskOf('fewshot_split: train\n'))).toEqual({})
    expect(generationFor(await taskOf('fewshot_split: train\n'), { form: 'text' })).toEqual({ until: ['\n\n'] })
    expect(generationFor(await taskOf('num_fewshot: 1\ngeneration_kwargs: {until: "."}\n'))).toEqual({ until: ['.'] })
    expect(generationFor(await taskOf('num_fewshot: 1\ngeneration_kwargs: {until: null}\n'))).toEqual({})
  })

  it("remove generation kwargs that a model's own kwargs set to null", async () => {
    const task = await taskOf(
      'num_fewshot: 1\ngeneration_kwargs: {max_new_tokens: 5, top_p: 0.5, until: "."}\nmodel_specific_generation_kwargs: {m: {top_p: null, until: null, max_new_tokens: 9}}\n',
    )
    expect(generationFor(task, { models: ['m'] })).toEqual({ max_new_tokens: 9 })
    expect(generationFor(task, { models: ['n'] })).toEqual({ max_new_tokens: 5, top_p: 0.5, until: ['.'] })
  })

  it('are rejected if there are too few, or if they would be the evaluated docs', async () => {
    await expect(prepareTask(await taskOf('fewshot_split: train\nnum_fewshot: 31\n'))).rejects.toThrow(
      /t\.yaml:7:14 {2}num_fewshot: 31 needs 31 docs; the split "train" has 30/,
    )
    await expect(prepareTask(await taskOf('num_fewshot: 4\n'))).rejects.toThrow(
      'num_fewshot: 4 needs 5 docs; the split "test" has 4',
    )
    await folder.write('one.jsonl', line(docs('q', 9)))
    const yaml =
      'task: t\ndataset_path: one.jsonl\ntest_split: test\nfewshot_split: train\nnum_fewshot: 1\ndoc_to_text: q\ndoc_to_target: a\n'
    const task = await loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('cache') })
    await expect(prepareTask(task)).rejects.toThrow(/t\.yaml:4:16 {2}num_fewshot: .*one\.jsonl is what is evaluated/)
  })
})

describe('the number of examples if docs are equal', () => {
  const twice = [...docs('q', 2), ...docs('q', 2), ...docs('r', 1)]
  const shownOf = async (yaml: string, train = twice): Promise<readonly number[]> => {
    const task = await taskOf(`num_fewshot: 2\n${yaml}`, train, twice)
    return (await prompts(task)).map(messages => text(messages).match(/[QR]\d/g)?.length ?? 0)
  }

  it.each([
    ['drawn from the docs that are evaluated', 'fewshot_split: test\n'],
    ['the first of them', 'fewshot_split: test\nfewshot_config: {sampler: first_n}\n'],
    ['of another split with the same docs', 'fewshot_split: train\n'],
    ['the first of another split', 'training_split: train\nfewshot_config: {sampler: first_n}\n'],
  ])('does not depend on equal docs: %s', async (_, yaml) => {
    expect(await shownOf(yaml)).toEqual([2, 2, 2, 2, 2])
  })

  it('includes no doc that differs from the evaluated one by its id only', async () => {
    const named = twice.map((doc, id) => ({ id, ...doc }))
    const task = await taskOf('num_fewshot: 2\nfewshot_split: test\n', [], named)
    for (const messages of await prompts(task)) {
      const shown = text(messages)
      const asked = shown.slice(shown.lastIndexOf('\n') + 1)
      expect(shown.split('\n').filter(line => line.includes(asked))).toHaveLength(1)
    }
  })

  it('includes no doc equal to the evaluated one, if the pool has others', async () => {
    const task = await taskOf('num_fewshot: 2\nfewshot_split: test\n', [], twice)
    for (const messages of await prompts(task)) {
      const shown = text(messages)
      const asked = shown.slice(shown.lastIndexOf('\n') + 1)
      expect(shown.split('\n').filter(line => line.includes(asked))).toHaveLength(1)
    }
  })

  it.each([
    ['named by their indices', 'fewshot_split: test\nfewshot_config: {fewshot_indices: [0, 1, 2]}\n', [1, 2, 1, 2, 2]],
    ['in the task', 'fewshot_config: {samples: [{q: "q0?", a: Q0}, {q: "q1?", a: Q1}]}\n', [1, 1, 1, 1, 2]],
  ])('is smaller if all other docs are equal, with one note: %s', async (_, yaml, numbers) => {
    expect(await shownOf(yaml)).toEqual(numbers)
  })
})
