/** Adds to the viewer's scene: a run with several samples of each doc, conversations with tools that a judge model grades, and labels of two people. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './cli.js'
import { completion, type SeenRequest } from './fake-openai.js'
import { verdictMark } from './graded.js'
import { colours, viewerScene, writeTask, type ViewerScene } from './viewer-scene.js'

/** The scene with the runs of the day. */
export interface ViewerDay extends ViewerScene {
  /** Eight docs with four samples each: four docs are ambiguous, two always right, and two always wrong. The price of the model is known. */
  readonly repeated: string
  /** Three docs, each with a tool call, graded by a judge model. Ana and Ben labelled all of them, and disagree on the second. */
  readonly agent: string
}

interface Body {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** Returns the answers of the models of the day. */
function makeAnswers(): (request: SeenRequest) => string | object | undefined {
  const asked = new Map<string, number>()
  return ({ text }) => {
    const { model, messages } = JSON.parse(text) as Body
    const prompt = JSON.stringify(messages)
    const before = asked.get(`${model} ${prompt}`) ?? 0
    asked.set(`${model} ${prompt}`, before + 1)
    if (model === 'wavering') return waver(Number(/Picture (\d+)/.exec(prompt)?.[1] ?? 0), before)
    if (model === 'agent') return useTool(messages)
    if (model === 'judge') return grade(messages.map(({ content }) => String(content)).join('\n'))
    return undefined
  }
}

function waver(number: number, before: number): string {
  const isWrong = number % 2 === 0 ? before % 2 === 1 : number % 4 === 3
  return colours[(number + (isWrong ? 1 : 0)) % colours.length] ?? ''
}

/** Adds by a tool, and tells one sum wrongly. */
function useTool(messages: Body['messages']): string | object {
  const [, a = 0, b = 0] = /(\d+) \+ (\d+)/.exec(JSON.stringify(messages[0]?.content))?.map(Number) ?? []
  if (messages.some(({ role }) => role === 'tool')) return `The sum is ${a === 3 ? 80 : a + b}.`
  const call = { id: 'c', type: 'function', function: { name: 'add', arguments: JSON.stringify({ a, b }) } }
  return completion(null, 'tool_calls', { tool_calls: [call] })
}

function grade(prompt: string): string {
  const read = (name: string) => new RegExp(`\\[BEGIN ${name} .*\\]\n([^]*)\n\\[END ${name}`).exec(prompt)?.[1] ?? ''
  return `${verdictMark(prompt)} ${read('ANSWER').includes(read('REFERENCE')) ? 'CORRECT' : 'INCORRECT'}`
}

/** Evaluates the scene and the runs of the day. */
export async function viewerDay(): Promise<ViewerDay> {
  const scene = await viewerScene({ answer: makeAnswers() })
  try {
    await mkdir(join(scene.folder, 'sums'))
    const docs = [1, 2, 3].map(a => ({ id: `sum-${a}`, question: `What is ${a} + 4?`, answer: `${a + 4}` }))
    await writeTask(scene.folder, 'sums', docs, ['metric_list: [{metric: model_graded, name: graded, kind: binary}]'])
    await writeFile(join(scene.folder, 'prices.yaml'), 'openai: {wavering: {input: 1, output: 2}}\n')
    const repeats = ['--prices', 'prices.yaml', '--limit', '8', '--repeats', '4', '--gen-kwargs', 'temperature=1']
    const judge = ['--judge-model', 'openai', '--judge-args', scene.modelFlags('judge').at(-1) ?? '']
    const tools = ['--mcp', `${process.execPath} ${join(root, 'tests/support/mcp-server.mjs')}`]
    const [repeated, agent] = await Promise.all([
      evaluate(scene, [...scene.modelFlags('wavering'), '--tasks', './shapes', ...repeats]),
      evaluate(scene, [...scene.modelFlags('agent'), '--tasks', './sums', ...tools, ...judge]),
    ])
    const labels = { Ana: ['right', 'right', 'wrong'], Ben: ['right', 'wrong', 'wrong'] }
    await Promise.all(
      Object.entries(labels).flatMap(([author, values]) =>
        values.map((value, at) => scene.run('labels', 'add', agent, `sums/sum-${at + 1}`, value, '--author', author)),
      ),
    )
    return { ...scene, repeated, agent }
  } catch (error) {
    await scene.close()
    throw error
  }
}

async function evaluate(scene: ViewerScene, flags: readonly string[]): Promise<string> {
  const ended = await scene.run('eval', ...flags, '--json')
  if (ended.code !== 0) throw new Error(`the day could not be evaluated: ${ended.stderr}`)
  return (JSON.parse(ended.stdout) as { readonly run: { readonly name: string } }).run.name
}
