/** Programs in Java that metrics start end with their evaluation, and see none of its secrets. */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

/** Writes a program in place of Java, which notes its number and its environment. */
async function prepareScene(metric: string, answering: string) {
  const folder = await temporaryFolder()
  const java = join(folder, 'java')
  const noting = `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'started.json'))}, JSON.stringify({ pid: process.pid, env: process.env }))`
  await writeFile(java, `#!${process.execPath}\n${noting}\n${answering}\n`)
  await chmod(java, 0o755)
  await writeFile(join(folder, 'a.jar'), '')
  await writeFile(join(folder, 'docs.jsonl'), '{"q": "a dog"}\n{"q": "a cat"}\n')
  const task = join(folder, 'captions.yaml')
  const entry = `{metric: ${metric}, jar: ${join(folder, 'a.jar')}, java: ${java}}`
  await writeFile(
    task,
    `task: captions\ndataset_path: ./docs.jsonl\ndoc_to_text: q\ndoc_to_target: q\nmetric_list: [${entry}]\n`,
  )
  return {
    evaluate: () => evaluate({ store: join(folder, 'store'), model: 'dummy', tasks: [task] }),
    readStarted: async () =>
      JSON.parse(await readFile(join(folder, 'started.json'), 'utf8')) as {
        readonly pid: number
        readonly env: Readonly<Record<string, string>>
      },
  }
}

const zeros = Array(23).fill(0).join(' ')
const answers: Readonly<Record<string, string>> = {
  meteor: `require('node:readline').createInterface({ input: process.stdin }).on('line', () => console.log('${zeros}')); setInterval(() => {}, 1000)`,
  spice: `const [, , , , captions, , scores] = process.argv.slice(1)
const read = JSON.parse(require('node:fs').readFileSync(captions))
require('node:fs').writeFileSync(scores, JSON.stringify(read.map(({ image_id }) => ({ image_id, scores: { All: { f: 1 } } }))))`,
}

test.each(Object.entries(answers))(
  'the program of %s ends with its evaluation, and sees no key',
  async (metric, answering) => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-test-0123456789')
    vi.stubEnv('HF_TOKEN', 'hf_of_the_test_0123456789')
    vi.stubEnv('MY_PASSWORD', 'of the test')
    const scene = await prepareScene(metric, answering)
    const { judgement } = await scene.evaluate()
    expect(judgement?.aggregates?.[0]?.n).toBe(2)
    const { pid, env } = await scene.readStarted()
    expect(JSON.stringify(env)).not.toMatch(/of.the.test/)
    expect(env['PATH']).toBe(process.env['PATH'])
    // The signal is sent before the evaluation ends, and the process ends soon after.
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 30_000 })
    vi.unstubAllEnvs()
  },
)
