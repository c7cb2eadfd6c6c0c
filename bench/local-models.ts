/**
 * Measures a local model's worker processes against bare loops over its engine: `tsx bench/local-models.ts [requests] [rounds]`. What is compared takes
 * turns, and the round with the least CPU time counts, because other programs slow this one down. Prints CPU and wall seconds, start subtracted, and the
 * memory of this process before and after. Linux only, because it reads /proc.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onnxVlm } from '../stages/model/backends/onnx-vlm.js'
import { openEngine } from '../stages/model/backends/onnx-vlm/engine.js'
import type { Model, ModelRequest } from '../stages/model/model.js'
import {
  ask,
  greedy,
  letters,
  likelihood,
  memoryContext,
  picturesOf,
  questions,
  tinyvlm,
} from '../tests/stages/model/backends/onnx-vlm/tinyvlm.js'

const never = new AbortController().signal
const [count = 400, rounds = 5] = process.argv.slice(2).map(Number)
const { add, context } = memoryContext()
const items = await questions('test')
const messagesOf = (question: (typeof items)[number]) => ask(question.question, picturesOf(question).map(add))
const asked = (input: ModelRequest['input']): ModelRequest => ({ input, generation: {}, sample: 0 })
const questionsAsked = items.slice(0, count).map(question => asked(greedy(messagesOf(question))))
// More questions than a worker keeps pictures, so that a pass of its own encodes its picture, too. Other questions have null as their options.
const withChoices = items.filter(question => typeof question.A === 'string').slice(0, Math.max(100, count / 4))
const choices = withChoices.flatMap(question =>
  letters.map(letter => asked(likelihood(messagesOf(question), ` ${question[letter]!}`))),
)
/** The choices of different questions by turns, so that no pass is shared. */
const alone = letters.flatMap((_, letter) => choices.filter((_, i) => i % letters.length === letter))

interface Times {
  readonly cpu: number
  readonly wall: number
}

/** CPU seconds of this process and its children until now. A tick is 10 ms. */
function readCpuSeconds(): number {
  const children = readdirSync('/proc/self/task').flatMap(task =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  const ticks = ['self', ...children].map(pid => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, value) => sum + value, 0) / 100
}

async function timed(work: () => Promise<unknown>): Promise<Times> {
  const [cpu, began] = [readCpuSeconds(), performance.now()]
  await work()
  return { cpu: readCpuSeconds() - cpu, wall: (performance.now() - began) / 1000 }
}

async function answerAll(model: Model, requests: readonly ModelRequest[], lanes: number): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let i = next++; i < requests.length; i = next++) await model.answer(requests[i]!, never)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

const openBare = () => openEngine({ dir: tinyvlm, dtype: 'fp32', threads: 1 }, digest => context.readMedia(digest))
const openWorkers = async (workers: number): Promise<Model> =>
  onnxVlm.open({ model: tinyvlm, dtype: 'fp32', threads: 1, workers }, context)

/** A child process of the measurement of two bare loops: it answers every second question whenever it is told to. */
if (process.send !== undefined) {
  const engine = await openBare()
  const half = questionsAsked.filter((_, i) => i % 2 === Number(process.argv[4]))
  process.on('message', () => void answerAll(engine, half, 1).then(() => process.send?.('done')))
  process.send('ready')
  await once(process, 'disconnect')
  process.exit()
}

async function openTwoBare() {
  const children = [0, 1].map((half): ChildProcess => {
    const args = [String(count), String(rounds), String(half)]
    return fork(fileURLToPath(import.meta.url), args, { execArgv: ['--import', import.meta.resolve('tsx')] })
  })
  await Promise.all(children.map(child => once(child, 'message')))
  return {
    answer: async (): Promise<void> => {
      const done = children.map(child => once(child, 'message'))
      for (const child of children) child.send('go')
      await Promise.all(done)
    },
    close: () => children.forEach(child => child.disconnect()),
  }
}

const shown: [string, Times][] = []
/** Measures all works by turns. Each is done once before, unmeasured. */
async function compare(works: Readonly<Record<string, () => Promise<void>>>): Promise<readonly Times[]> {
  for (const work of Object.values(works)) await work()
  const best = new Map<string, Times>()
  for (let round = 0; round < rounds; round += 1)
    for (const [name, work] of Object.entries(works)) {
      const times = await timed(work)
      const least = best.get(name) ?? times
      best.set(name, { cpu: Math.min(least.cpu, times.cpu), wall: Math.min(least.wall, times.wall) })
    }
  shown.push(...best)
  return [...best.values()]
}

/** The memory of this process after it has used and closed workers, as a multiple of that before. */
async function measureMemory(): Promise<number> {
  const before = process.memoryUsage().rss
  const model = await openWorkers(2)
  await answerAll(model, questionsAsked, 16)
  await model.close?.()
  return process.memoryUsage().rss / before
}

const memory = await measureMemory()
const [bare, twoBare, one, two] = [await openBare(), await openTwoBare(), await openWorkers(1), await openWorkers(2)]
const [loop, twoLoops, byOne, byTwo, passes, shared, sharedByTwo] = await compare({
  [`bare loop, ${questionsAsked.length} questions`]: () => answerAll(bare, questionsAsked, 1),
  'two bare loops at once': () => twoBare.answer(),
  'workers=1': () => answerAll(one, questionsAsked, 8),
  'workers=2': () => answerAll(two, questionsAsked, 16),
  [`bare loop, ${alone.length} choices alone`]: () => answerAll(bare, alone, 1),
  'workers=1, choices together': () => answerAll(one, choices, 8),
  'workers=2, choices together': () => answerAll(two, choices, 16),
})
await Promise.all([bare.close(), one.close?.(), two.close?.()])
twoBare.close()
for (const [name, { cpu, wall }] of shown)
  console.log(`${name.padEnd(34)} ${cpu.toFixed(2)} s CPU  ${wall.toFixed(2)} s wall`)
const share = (of: Times | undefined, by: Times | undefined, what: keyof Times): string =>
  `${((100 * (of?.[what] ?? NaN)) / (by?.[what] ?? NaN)).toFixed(0)} %`
const times = (of: Times | undefined, by: Times | undefined): string =>
  `${((of?.cpu ?? NaN) / (by?.cpu ?? NaN)).toFixed(2)} ×`
console.log(`workers=1 / bare loop: ${share(loop, byOne, 'cpu')} by CPU, ${share(loop, byOne, 'wall')} by wall time`)
console.log(
  `workers=2 / two bare loops: ${share(twoLoops, byTwo, 'cpu')} by CPU, ${share(twoLoops, byTwo, 'wall')} by wall time`,
)
console.log(`four choices together: ${times(passes, shared)}, by two workers ${times(passes, sharedByTwo)}`)
console.log(`memory of this process after closing / before: ${memory.toFixed(2)}`)
