import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bin } from '../support/cli.js'
import { engines, type Engines, type JournalEntry } from '../support/engine.js'
import { lookInto, query } from '../support/store-look.js'

const vllm = (args = ''): string[] => ['--model', 'vllm', '--model-args', `model=org/model${args}`]
const judgedTask = `task: echoes
dataset_path: ./docs.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
process_results: !function utils.judge
metric_list: [{metric: length, aggregation: mean, higher_is_better: true}]
`
const judging = `import { judgeFailed, scored, type ProcessResults } from 'pipeline'

export const judge: ProcessResults = async (doc, _, { ask }) => {
  const reply = await ask({ messages: String(doc['question']), maxTokens: 8 })
  return { length: reply.type === 'failed' ? judgeFailed(reply.reason) : scored(reply.text.length) }
}
`

/** Returns the parent of a process. */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

const starts = (entries: readonly JournalEntry[]) => entries.filter(entry => entry.type === 'started')
const asked = (entries: readonly JournalEntry[]) => entries.filter(entry => entry.type === 'asked')
const failures = ({ store }: Engines): number => query(store, 'SELECT 1 FROM failure').length
const isAsked = (entries: readonly JournalEntry[]): boolean => asked(entries).length > 0

/** Waits until the engine has answered some requests and others are in flight. */
async function amidRequests(setup: Engines, args: string): Promise<ReturnType<Engines['start']>> {
  const started = setup.start([...vllm(args), '--concurrency', '2'], {
    answerMs: 30,
    grandchild: 'apart',
    ignoreTerm: true,
  })
  await setup.until(entries => asked(entries).length >= 5)
  return started
}

describe('a started engine', () => {
  test('answers all pending requests, names its log, and is gone at the end', async () => {
    const setup = await engines()
    const ended = await setup.run(
      vllm(',tensor_parallel_size=2,max_model_len=2048,batch_size=4,shutdown_timeout=0.2'),
      {
        grandchild: 'in the group',
      },
    )
    expect(ended).toMatchObject({ code: 0 })
    expect(setup.alive()).toEqual([])
    const [start] = starts(setup.journal())
    const port = start?.args.at(7) ?? ''
    expect(port).toMatch(/^\d+$/)
    expect(start?.args).toEqual([
      ...['serve', 'org/model', '--served-model-name', 'org/model', '--host', '127.0.0.1', '--port', port],
      ...['--max-model-len', '2048', '--tensor-parallel-size', '2'],
    ])
    expect(asked(setup.journal())).toHaveLength(12)
    const [, log = ''] = /starting vllm; its log is (\S+)/.exec(ended.stderr) ?? []
    expect(log.startsWith(join(setup.store, 'logs/vllm-'))).toBe(true)
    expect(await readFile(log, 'utf8')).toContain('listening on')
  })

  test('is not started again if nothing is pending, even with another port or other GPUs', async () => {
    const setup = await engines(3)
    expect(await setup.run(vllm())).toMatchObject({ code: 0 })
    const again = await setup.run(
      vllm(',port=4711,tensor_parallel_size=8,gpu_memory_utilization=0.5,startup_timeout=3'),
    )
    expect(again).toMatchObject({ code: 0 })
    expect(starts(setup.journal())).toHaveLength(1)
    expect(await setup.run(vllm(',dtype=float32'))).toMatchObject({ code: 0 })
    expect(starts(setup.journal())).toHaveLength(2)
    expect(asked(setup.journal())).toHaveLength(6)
  })

  test('that ends before it is ready is reported with the end of its log, without keys', async () => {
    const setup = await engines()
    const behaviour = { dieAtStart: 'ValueError: no GPU here', say: ['key $MY_API_KEY end'] }
    const ended = await setup.run(vllm(), behaviour, { MY_API_KEY: 'sk-very-secret-123' })
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toContain('error: vllm ended with status 3 before it was ready')
    expect(ended.stderr).toContain('ValueError: no GPU here')
    expect(ended.stderr).toContain('key *** end')
    expect(setup.log()).toContain('key *** end')
    expect(ended.stderr + setup.log()).not.toContain('sk-very-secret-123')
    expect(asked(setup.journal())).toEqual([])
  })

  test.each([[[]], [['--plan']]])(
    'that is not installed is reported before a doc is read, with how to install it: %j',
    async (flags: readonly string[]) => {
      const setup = await engines(3)
      const ended = await setup.run([...vllm(',executable=no-such-vllm'), ...flags])
      expect(ended).toMatchObject({ code: 1, stdout: '' })
      expect(ended.stderr).toContain('there is no program "no-such-vllm" on the PATH. Install it (pip install vllm)')
      expect(ended.stderr).not.toContain('input')
    },
  )

  test('that is not ready in time is ended and reported', async () => {
    const setup = await engines(3)
    const ended = await setup.run(vllm(',startup_timeout=0.3'), { loadMs: 60_000 })
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toContain('vllm was not ready within 0.3 s: ')
    expect(setup.alive()).toEqual([])
  })

  test('that dies during the run fails no doc, and the same command continues with another one', async () => {
    const setup = await engines(12)
    const line = [...vllm(',max_retries=0'), '--concurrency', '2']
    const ended = await setup.run(line, { dieAfter: 5, answerMs: 20 })
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toContain('vllm ended with status 9 while it was asked')
    expect(ended.stderr).toContain('CUDA error: out of memory')
    expect(lookInto(setup.store).responses).toBe(5)
    expect(failures(setup)).toBe(0)
    expect(await setup.run(line)).toMatchObject({ code: 0 })
    expect(lookInto(setup.store).responses).toBe(12)
    expect(starts(setup.journal())).toHaveLength(2)
  })

  test('leaves no process behind when this program is killed, even if one ignores signals and left its group', async () => {
    const setup = await engines(200)
    const started = await amidRequests(setup, ',shutdown_timeout=0.2')
    expect(setup.alive()).toHaveLength(2)
    started.child.kill('SIGKILL')
    await started.ended
    await setup.untilGone()
  })

  test('survives Ctrl-C until requests in flight are answered', async () => {
    const setup = await engines(200)
    // As in a terminal, where each process of the group gets the signal.
    const child = spawn(
      process.execPath,
      [bin, ...setup.line, ...vllm(',shutdown_timeout=0.2'), '--concurrency', '4'],
      {
        env: setup.env({ answerMs: 100 }),
        detached: true,
        stdio: 'ignore',
      },
    )
    await setup.until(isAsked)
    process.kill(-child.pid!, 'SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(lookInto(setup.store).responses).toBe(asked(setup.journal()).length)
    expect(setup.alive()).toEqual([])
  })

  test('is ended with the run when its watching process is killed', async () => {
    const setup = await engines(200)
    const started = await amidRequests(setup, ',shutdown_timeout=0.2')
    const [engine] = starts(setup.journal())
    process.kill(parentOf(engine!.pid), 'SIGKILL')
    const ended = await started.ended
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toContain('vllm ended with signal SIGKILL')
    await setup.untilGone()
  })

  test('works as the judge model and is ended with the others', async () => {
    const setup = await engines(2)
    await writeFile(join(setup.folder, 'task/utils.ts'), judging)
    await writeFile(join(setup.folder, 'task/echoes.yaml'), judgedTask)
    const judge = ['--judge-model', 'vllm', '--judge-args', 'model=org/judge']
    expect(await setup.run(['--model', 'dummy', ...judge])).toMatchObject({ code: 0 })
    expect(starts(setup.journal())).toHaveLength(1)
    expect(asked(setup.journal())).toHaveLength(2)
    expect(setup.alive()).toEqual([])
  })

  test('is ended at once if it is interrupted while it loads', async () => {
    const setup = await engines(3)
    const { child, ended } = setup.start(vllm(), { loadMs: 60_000 })
    await setup.until(entries => starts(entries).length > 0)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
    expect(setup.alive()).toEqual([])
    expect(lookInto(setup.store).responses).toBe(0)
    expect(failures(setup)).toBe(0)
  })
})

describe('ollama', () => {
  test('is started with its own environment if launch=true, and called by its own API', async () => {
    const setup = await engines(2)
    const library = join(setup.folder, 'models/manifests/registry.ollama.ai/library/smol')
    await mkdir(library, { recursive: true })
    await writeFile(join(library, 'latest'), '{"layers":[]}')
    const args = `model=smol,num_ctx=512,keep_alive=5m,launch=true,models_dir=${join(setup.folder, 'models')}`
    expect(await setup.run(['--model', 'ollama', '--model-args', args])).toMatchObject({ code: 0 })
    const [start] = starts(setup.journal())
    expect(start?.args).toEqual(['serve'])
    expect(start?.variables).toEqual(expect.arrayContaining(['OLLAMA_HOST', 'OLLAMA_MODELS', 'OLLAMA_NUM_PARALLEL']))
    expect(asked(setup.journal()).map(({ url }) => url)).toEqual(['/api/chat', '/api/chat'])
    expect(setup.alive()).toEqual([])
  })
})

describe.each([
  ['sglang', ['-m', 'sglang.launch_server', '--model-path', 'org/model'], '--tp-size'],
  ['lmdeploy', ['serve', 'api_server', 'org/model', '--model-name', 'org/model'], '--tp'],
] as const)('%s', (model, beginning, tp) => {
  test('is started with its own flags', async () => {
    const setup = await engines(2)
    const args = [
      '--model',
      model,
      '--model-args',
      'model=org/model,tensor_parallel_size=4,engine_args=--log-level info',
    ]
    expect(await setup.run(args)).toMatchObject({ code: 0 })
    const [start] = starts(setup.journal())
    expect(start?.args.slice(0, beginning.length)).toEqual(beginning)
    expect(start?.args.slice(-4)).toEqual([tp, '4', '--log-level', 'info'])
    expect(setup.alive()).toEqual([])
  })
})
