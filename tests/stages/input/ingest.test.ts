import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { StageEvent } from '../../../cache/events.js'
import { Wake } from '../../../base/time/wake.js'
import { ingestTask, type Selection } from '../../../stages/input/ingest.js'
import { readRecords } from '../../../stages/input/read-records.js'
import { withSystem } from '../../../stages/input/prompting.js'
import { isFunctionRef } from '../../../stages/input/tasks/function-ref.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import { resolveTasks } from '../../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { answer } from '../../support/store.js'
import { memoryStore, run, type MemoryStore } from './memory-store.js'
import { temporaryFolder } from './temp-folder.js'

const folder = temporaryFolder()
const cacheDir = (): string => folder.path('cache')

async function ingest(
  task: Task,
  memory: MemoryStore = memoryStore(),
  selection: Selection = {},
  drain = new AbortController(),
  readers = 1,
  emit: (event: StageEvent) => void = () => undefined,
) {
  await ingestTask({
    readers,
    store: memory.store,
    run,
    taskIndex: 0,
    task,
    selection,
    wake: new Wake(),
    drain: drain.signal,
    emit,
  })
  return memory
}

const builtin = async (name: string): Promise<Task> => {
  const [task] = await resolveTasks([name], { cacheDir: cacheDir(), emit: () => undefined })
  return task!
}

async function ownTask(
  rows: readonly object[],
  yaml = 'doc_to_text: "{{question}}"\ndoc_to_target: answer\n',
): Promise<Task> {
  await folder.write('d.jsonl', rows.map(row => JSON.stringify(row)).join('\n'))
  return loadTask(await folder.write('t.yaml', `task: t\ndataset_path: d.jsonl\n${yaml}`), { cacheDir: cacheDir() })
}

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, question: `q${id}`, answer: `a${id}` }))

const textOf = (memory: MemoryStore, at: number): string => {
  const request = memory.docs[at]!.requests[0]!
  if (!('input' in request)) return `failed: ${request.failure.class} ${request.failure.message}`
  return request.input.messages.flatMap(m => m.content.map(p => (p.type === 'text' ? p.text : `<${p.type}>`))).join('|')
}

test('reports how many docs share the request of an earlier doc, and how many are answered', async () => {
  const same = rows(4).map(row => ({ ...row, question: 'same' }))
  const memory = memoryStore()
  const told: StageEvent[] = []
  const asks = async (): Promise<void> => {
    await ingest(await ownTask(same), memory, {}, undefined, 1, event => void told.push(event))
  }
  await asks()
  expect(told).toContainEqual(expect.objectContaining({ type: 'docs-read', docs: 4, requests: 4, shared: 3 }))
  const { leases } = await memory.store.requests.lease(run, { after: 0, limit: 9, retryFailed: false })
  await answer(memory.store, leases[0]!, 'yes')
  memory.progress = { docs: 0, finished: false }
  await asks()
  expect(told).toContainEqual({ type: 'from-store', requests: 4 })
})

test('shapes_vqa sends the golden questions with their pictures', async () => {
  const golden = JSON.parse(readFileSync('examples/tinyvlm/golden/prompts.json', 'utf8')) as {
    id: string
    question: string
    num_images: number
  }[]
  const memory = await ingest(await builtin('shapes_vqa'))
  expect([memory.docs.length, memory.media.size, memory.progress]).toEqual([1000, 721, { docs: 1000, finished: true }])
  const plain = golden.filter(item => !item.question.includes('\n'))
  expect(plain.length).toBeGreaterThan(5)
  for (const { id, question, num_images } of plain) {
    const at = memory.docs.findIndex(doc => doc.id === id)
    expect(textOf(memory, at)).toBe(`${'<image>|'.repeat(num_images)}${question}`)
  }
  expect(memory.docs[0]).toMatchObject({
    index: 0,
    record: { target: 'orange', doc: { type: 'color', num_images: 1 } },
    requests: [{ choice: 0, sample: 0, generation: { max_new_tokens: 24 } }],
  })
  expect(memory.docs[0]!.record.doc).not.toHaveProperty('image')
})

test('shapes_vqa_choice requests the likelihood of each option after the plain question', async () => {
  const memory = await ingest(await builtin('shapes_vqa_choice'))
  expect(memory.docs).toHaveLength(282)
  const [first] = memory.docs
  expect(first!.record).toMatchObject({ target: 3, choices: ['black', 'red', 'blue', 'orange'] })
  expect(first!.requests.map(request => 'input' in request && request.input.continuation)).toEqual([
    ' black',
    ' red',
    ' blue',
    ' orange',
  ])
  expect(textOf(memory, 0)).toBe('<image>|Which color does the ring have?')
})

test('shapes_vqa_letter sends the golden prompt with letters', async () => {
  const golden = JSON.parse(readFileSync('examples/tinyvlm/golden/prompts.json', 'utf8')) as {
    id: string
    question: string
  }[]
  const lettered = golden.find(item => item.question.includes('\nA. '))!
  const memory = await ingest(await builtin('shapes_vqa_letter'))
  expect(memory.docs).toHaveLength(282)
  const at = memory.docs.findIndex(doc => doc.id === lettered.id)
  expect(textOf(memory, at)).toBe(`<image>|${lettered.question}`)
  expect(memory.docs[0]).toMatchObject({ record: { target: 3, choices: ['A', 'B', 'C', 'D'] } })
})

test('commits docs in batches in order, small ones first, the last as finished', async () => {
  const memory = await ingest(await ownTask(rows(1100)))
  expect(memory.commits).toEqual([16, 32, 64, 128, 256, 500, 104])
  expect(memory.docs.map(doc => doc.index)).toEqual(Array.from({ length: 1100 }, (_, index) => index))
})

test('batches stay small while other tasks are read, so that their requests alternate', async () => {
  const memory = await ingest(await ownTask(rows(200)), memoryStore(), {}, new AbortController(), 4)
  expect(memory.commits).toEqual([16, 32, 50, 50, 50, 2])
})

test('commits docs with new media before the batch is full, so that the model need not wait', async () => {
  const names = Array.from({ length: 112 }, (_, id) => `${id}.gif`)
  for (const name of names) await folder.write(name, `GIF89a, picture ${name};`)
  const task = await ownTask(
    names.map((image, id) => ({ id, image: id < 48 ? 'nowhere.gif' : image, question: 'q', answer: 'a' })),
    'doc_to_visual: image\ndoc_to_text: question\ndoc_to_target: answer\n',
  )
  const memory = await ingest(task)
  expect(memory.commits).toEqual([16, 32, 32, 32])
  expect(memory.docs.map(doc => doc.index)).toEqual(names.map((_, index) => index))
  expect(memory.progress).toEqual({ docs: 112, finished: true })
})

test('reads docs only a little ahead of commits', async () => {
  await folder.write(
    'utils.ts',
    'export const pulled = { docs: 0 }\nexport async function* count(docs) { for await (const doc of docs) { pulled.docs++; yield doc } }\nexport const target = () => pulled.docs',
  )
  const yaml = 'process_docs: !function utils.count\ndoc_to_text: question\ndoc_to_target: !function utils.target\n'
  const task = await ownTask(rows(5_000), yaml)
  const target = task.config.doc_to_target
  const pulled = (): number => (isFunctionRef(target) ? Number(task.functionOf(target)()) : NaN)
  let most = 0
  const memory: MemoryStore = memoryStore(() => {
    most = Math.max(most, pulled() - memory.docs.length)
  })
  await ingest(task, memory)
  expect(memory.docs).toHaveLength(5_000)
  expect(most).toBeLessThanOrEqual(2 * 500)
})

test('interrupted reading continues where it stopped and ends with the same docs', async () => {
  const task = await ownTask(rows(600))
  const whole = await ingest(task)
  const drain = new AbortController()
  const memory = memoryStore(commits => {
    if (commits === 1) drain.abort()
  })
  await ingest(task, memory, {}, drain)
  expect(memory.progress).toEqual({ docs: 16, finished: false })
  await ingest(task, memory)
  expect(memory.docs).toEqual(whole.docs)
  await ingest(task, memory)
  expect(memory.docs).toHaveLength(600)
})

test('limit counts docs after offset, and a limit below 1 is a fraction of all docs', async () => {
  const task = await ownTask(rows(10))
  const indices = async (selection: Selection) =>
    (await ingest(task, memoryStore(), selection)).docs.map(doc => doc.index)
  expect(await indices({ limit: 3 })).toEqual([0, 1, 2])
  expect(await indices({ limit: 3, offset: 8 })).toEqual([8, 9])
  expect(await indices({ limit: 0.25 })).toEqual([0, 1, 2])
})

test('waits for docs while another process reads them', async () => {
  const memory = memoryStore()
  memory.isLeasedElsewhere = true
  const done = ingest(await ownTask(rows(3)), memory)
  memory.progress = { docs: 3, finished: true }
  await done
  expect(memory.docs).toEqual([])
})

test('a broken or missing medium fails only its doc', async () => {
  const good = await firstPicture()
  await folder.write('good.png', good)
  await folder.write('cut.png', good.subarray(0, good.length - 20))
  await folder.write('text.png', 'not a picture')
  const names = ['good.png', 'cut.png', 'text.png', 'nowhere.png', null, 'good.png']
  const task = await ownTask(
    names.map((image, id) => ({ id, image, question: 'q', answer: 'a' })),
    'doc_to_visual: image\ndoc_to_text: question\ndoc_to_target: answer\n',
  )
  const memory = await ingest(task)
  expect(names.map((_, at) => textOf(memory, at))).toEqual([
    '<image>|q',
    'failed: media t/1: cut.png: the PNG image is cut short',
    'failed: media t/2: text.png: not an image, audio, video or PDF: no format that is known',
    'failed: media t/3: no file nowhere.png',
    'failed: media t/4: the doc has no medium where the task shows one: neither bytes nor a path',
    '<image>|q',
  ])
  expect(memory.media.size).toBe(1)
})

test("an exception of a task's own function fails only its doc", async () => {
  await folder.write(
    'utils.ts',
    "export const prompt = doc => { if (doc.id === 1) throw new Error('odd'); return doc.question }",
  )
  const task = await ownTask(rows(3), 'doc_to_text: !function utils.prompt\ndoc_to_target: answer\n')
  const memory = await ingest(task)
  expect([0, 1, 2].map(at => textOf(memory, at))).toEqual(['q0', 'failed: invalid_request t/1: odd', 'q2'])
})

test("--repeats overrides the task's repeats, and a system message precedes each conversation", async () => {
  const task = await ownTask(rows(1), 'doc_to_text: "{{question}}"\ndoc_to_target: answer\nrepeats: 2\n')
  const memory = memoryStore()
  await ingestTask({
    store: memory.store,
    run,
    taskIndex: 0,
    task,
    selection: {},
    prompting: { repeats: 3, system: 'Be short.' },
    wake: new Wake(),
    drain: new AbortController().signal,
    emit: () => undefined,
  })
  const { requests } = memory.docs[0]!
  expect(requests.map(({ sample }) => sample)).toEqual([0, 1, 2])
  const [first] = requests
  expect('input' in first! && first.input.messages.map(({ role }) => role)).toEqual(['system', 'user'])
  expect(textOf(memory, 0)).toBe('Be short.|q0')
})

test('a system message of the task overrides the given one', () => {
  const own = [{ role: 'system' as const, content: [{ type: 'text' as const, text: 'own' }] }]
  expect(withSystem(own, { system: 'other' })).toBe(own)
  expect(withSystem([], { system: 'other' })).toEqual([])
})

test('repeats create samples, and kwargs for prompts do not change a prompt without a function', async () => {
  const yaml =
    'doc_to_text: question\ndoc_to_target: answer\nrepeats: 2\nlmms_eval_specific_kwargs: {default: {post_prompt: "!"}}\n'
  const memory = await ingest(await ownTask(rows(1), yaml))
  expect(memory.docs[0]!.requests.map(request => request.sample)).toEqual([0, 1])
  expect(textOf(memory, 0)).toBe('q0')
})

test('rejects non-empty kwargs for a function that takes none', async () => {
  await folder.write('utils.ts', 'export const ask = (doc: { question: string }) => doc.question')
  const yaml = (prompt: string) =>
    `doc_to_text: !function utils.ask\ndoc_to_target: answer\nlmms_eval_specific_kwargs: {default: {pre_prompt: "", post_prompt: "${prompt}"}}\n`
  expect(textOf(await ingest(await ownTask(rows(1), yaml(''))), 0)).toBe('q0')
  await expect(ingest(await ownTask(rows(1), yaml('!')))).rejects.toThrow(
    'utils.ask takes 1 parameter, but lmms_eval_specific_kwargs are given, which are the second. Where the question has no use for them, take them as `_kwargs`',
  )
})

test('requests each choice without the question, too, if a metric needs it', async () => {
  const yaml =
    'output_type: multiple_choice\ndoc_to_text: question\ndoc_to_choice: [x, y]\ndoc_to_target: 1\nmetric_list: [{metric: acc_mutual_info}]\n'
  const memory = await ingest(await ownTask([{ question: 'q', answer: 'y' }], yaml))
  const asked = memory.docs[0]!.requests.map(request => {
    if (!('input' in request)) throw new Error(request.failure.message)
    const [message] = request.input.messages
    return [request.choice, message!.content, request.input.continuation]
  })
  const text = (words: string) => [{ type: 'text', text: words }]
  expect(asked).toEqual([
    [0, text('q'), ' x'],
    [1, text('q'), ' y'],
    [2, text(''), ' x'],
    [3, text(''), ' y'],
  ])
})

test('takes texts of a choice list literally, and rejects a template in it', async () => {
  const task = (choices: string) =>
    ownTask(
      rows(1),
      `output_type: multiple_choice\ndoc_to_text: question\ndoc_to_target: 0\ndoc_to_choice: ${choices}\n`,
    )
  await expect(ingest(await task('[x, "{{answer}}"]'))).rejects.toThrow(
    't.yaml:6:20  doc_to_choice: the texts of a list are taken as they are, and this one is a template. One template may give a list: "{{ [a, b] }}"',
  )
  const { requests } = (await ingest(await task('"{{ [answer, id] }}"'))).docs[0]!
  expect(requests.map(request => 'input' in request && request.input.continuation)).toEqual([' a0', ' 0'])
})

test('a target that is not among the choices fails its doc', async () => {
  const yaml = 'output_type: multiple_choice\ndoc_to_text: question\ndoc_to_choice: [x, y]\ndoc_to_target: answer\n'
  const task = await ownTask(
    [
      { question: 'q', answer: 'B' },
      { question: 'q', answer: 'z' },
    ],
    yaml,
  )
  const memory = await ingest(task)
  expect(memory.docs[0]!.record.target).toBe(1)
  expect(textOf(memory, 1)).toBe('failed: invalid_request t/1: doc_to_target gives "z", which is none of ["x","y"]')
})

test('rejects an unknown column before work starts, with the line that names it', async () => {
  const task = await ownTask(rows(3), 'doc_to_text: "{{qestion}}"\ndoc_to_target: anwser\n')
  const memory = memoryStore()
  await expect(ingest(task, memory)).rejects.toThrow(
    /t\.yaml:3:14 {2}doc_to_text: dataset column "qestion" is not there \(it has id, question, answer\)\. Did you mean "question"\?\n.*t\.yaml:4:16 {2}doc_to_target: dataset column "anwser" is not there/,
  )
  expect(memory.docs).toEqual([])
})

test('reads records again without a commit', async () => {
  const memory = memoryStore()
  const task = await ownTask(rows(3))
  const records = []
  for await (const record of readRecords({ store: memory.store, task, selection: {} })) records.push(record)
  expect(records.map(({ index, record, inputs }) => [index, record.target, inputs.length])).toEqual([
    [0, 'a0', 1],
    [1, 'a1', 1],
    [2, 'a2', 1],
  ])
  expect(memory.docs).toEqual([])
})

test('doc_to_messages returns turns with media at their positions', async () => {
  await folder.write('good.png', await firstPicture())
  await folder.write(
    'utils.ts',
    "export const turns = doc => [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image', url: doc.image }, { type: 'text', text: 'b' }] }]",
  )
  const task = await ownTask(
    [{ image: 'good.png', answer: 'a' }],
    'doc_to_messages: !function utils.turns\ndoc_to_target: answer\n',
  )
  expect(textOf(await ingest(task), 0)).toBe('Be brief.|a|<image>|b')
})

async function firstPicture(): Promise<Uint8Array> {
  const memory = await ingest(await builtin('shapes_vqa'), memoryStore(), { limit: 1 })
  return [...memory.media.values()][0]!
}

test("samples are numbered from the selection's first sample, also for failed docs", async () => {
  const task = await ownTask(
    [...rows(1), { id: 1, question: 'q1' }],
    'doc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\nrepeats: 2\n',
  )
  const memory = await ingest(task, memoryStore(), { firstSample: 3 })
  expect(memory.docs.map(doc => doc.requests.map(({ sample }) => sample))).toEqual([
    [3, 4],
    [3, 4],
  ])
})

test('process_docs may filter and map docs, and its errors name the line', async () => {
  const yaml = (name: string): string =>
    `doc_to_text: "{{question}}"\ndoc_to_target: answer\nprocess_docs: !function utils.${name}\n`
  await folder.write(
    'utils.ts',
    `export const odd = (docs: any) => docs.filter((d: any) => d.id % 2).map((d: any) => ({ ...d, question: d.question + '!' }))
     export const wrong = (docs: any) => docs.sort()
     export const none = () => 3
     export const empty = () => []`,
  )
  const memory = await ingest(await ownTask(rows(6), yaml('odd')))
  expect(memory.docs.map((_, at) => textOf(memory, at))).toEqual(['q1!', 'q3!', 'q5!'])
  await expect(ownTask(rows(6), yaml('wrong')).then(task => ingest(task))).rejects.toThrow(
    /t\.yaml:5:15 {2}process_docs: docs\.sort is not a function/,
  )
  await expect(ownTask(rows(6), yaml('none')).then(task => ingest(task))).rejects.toThrow(
    /process_docs: must give docs/,
  )
  await expect(ownTask(rows(6), yaml('empty')).then(task => ingest(task))).rejects.toThrow(
    /t\.yaml:5:15 {2}process_docs gives no docs/,
  )
})

test('process_docs may read media and other splits', async () => {
  await folder.write(
    'utils.ts',
    `export async function* joined(docs: any, { read, rows }: any) {
       for await (const doc of docs)
         for await (const other of rows({ split: 'other' }))
           yield { question: doc.question + (await read(doc.file)).length + other.question, answer: 'a' }
     }`,
  )
  await folder.write('split/test.jsonl', JSON.stringify({ question: 'q', file: 'note.bin' }))
  await folder.write('split/other.jsonl', JSON.stringify({ question: 'r' }))
  await folder.write('split/note.bin', Buffer.alloc(7))
  const yaml = 'doc_to_text: question\ndoc_to_target: answer\nprocess_docs: !function utils.joined\n'
  const file = await folder.write('t.yaml', `task: t\ndataset_path: split\ntest_split: test\n${yaml}`)
  const memory = await ingest(await loadTask(file, { cacheDir: cacheDir() }))
  expect(textOf(memory, 0)).toBe('q7r')
})

test('a medium may be edited before it is shown, and an error in the edit fails its doc', async () => {
  await folder.write('p.gif', Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64'))
  await folder.write(
    'utils.ts',
    `const edit = async (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.from(';')])
     const fail = async () => { throw new Error('no room for a box') }
     export const marked = (doc: any) => ({ medium: doc.file, edit: doc.fails ? fail : edit })`,
  )
  const memory = await ingest(
    await ownTask(
      [{ file: 'p.gif' }, { file: 'p.gif', fails: true }, { file: 'q.gif' }].map(doc => ({
        question: 'q',
        answer: 'a',
        ...doc,
      })),
      'doc_to_visual: !function utils.marked\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\n',
    ),
  )
  expect(memory.docs.map((_, at) => textOf(memory, at))).toEqual([
    '<image>|q',
    "failed: media t/1: p.gif can't be changed: no room for a box",
    'failed: media t/2: no file q.gif',
  ])
  expect([...memory.media.values()].map(bytes => bytes.length)).toEqual([30])
})

test('a doc fails with class media if all its media columns are empty', async () => {
  await folder.write(
    'p.png',
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgZGIGAAAOAAfXb+R4AAAAAElFTkSuQmCC',
      'base64',
    ),
  )
  const yaml = (visual: string): string =>
    `doc_to_visual: ${visual}\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\n`
  const docs = [
    { question: 'q0', answer: 'a', one: 'p.png', two: null },
    { question: 'q1', answer: 'a', one: null, two: null },
  ]
  for (const visual of ['one', '[one, two]']) {
    const memory = await ingest(await ownTask(docs, yaml(visual)))
    expect(textOf(memory, 0)).toBe('<image>|q0')
    expect(textOf(memory, 1)).toMatch(/^failed: media t\/1: the doc has no medium/)
  }
})

test('a rolling likelihood sends the text alone, without a prompt', async () => {
  const memory = await ingest(
    await ownTask(rows(1), 'output_type: loglikelihood_rolling\ndoc_to_target: "{{question}} {{answer}}"\n'),
  )
  expect(memory.docs[0]!.requests).toMatchObject([
    { choice: 0, sample: 0, input: { type: 'loglikelihood_rolling', messages: [], continuation: 'q0 a0' } },
  ])
})

test('an id with a lone surrogate fails only its doc', async () => {
  const memory = await ingest(await ownTask([{ id: 'a\ud83d', question: 'q', answer: 'b' }, ...rows(1)]))
  expect(textOf(memory, 0)).toBe(
    'failed: invalid_request t/a\ufffd#0: its id "a\\ud83d" holds half of a character (a lone surrogate), which no text file can hold. Mend the id in the data',
  )
  expect(textOf(memory, 1)).toBe('q0')
})

test('a template that prints a null column gives no target', async () => {
  const docs = [{ question: 'q', answer: null }, { question: 'q', answer: 'None' }, { question: 'q' }]
  const memory = await ingest(await ownTask(docs, 'doc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\n'))
  expect(memory.docs.map(({ record }) => record.target)).toEqual([null, 'None', null])
})

test('one note reports docs with the id of an earlier doc', async () => {
  const notes: string[] = []
  const ids = ['a', 'a', 'b', 'a']
  const task = await ownTask(ids.map(id => ({ id, question: 'q', answer: 'x' })))
  const memory = memoryStore()
  const { store } = memory
  await ingestTask({
    ...{ store, run, taskIndex: 0, task, selection: {}, wake: new Wake(), drain: new AbortController().signal },
    emit: event => {
      if (event.type === 'note') notes.push(event.text)
    },
  })
  expect(memory.docs.map(({ id }) => id)).toEqual(['a', 'a#1', 'b', 'a#3'])
  expect(notes).toEqual(['t: 2 docs have ids of earlier docs, so their index is added: a#1'])
})
