/**
 * Makes a store with two runs of many samples, without a model: `node dist/bench/viewer/make-store.js FOLDER [SAMPLES]`. The viewer's figures are measured on it.
 * Rows are merged as an import merges them, so that they are those of a store that evaluated them.
 */
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import type { PortableRun } from '../../cache/bundle/portable.js'
import type { MediaDigest } from '../../cache/digest.js'
import { runKey } from '../../cache/keys.js'
import { openStore } from '../../cache/open.js'
import type { Aggregate, RunProvenance, RunSpec } from '../../cache/records.js'
import { runName } from '../../cache/run-name.js'
import { inParallel } from './in-parallel.js'
import {
  breakdown,
  madeCode,
  madeDoc,
  madeModel,
  madePreimages,
  madeRules,
  madeTasks,
  taskIdentity,
  type MadeDoc,
} from './made-docs.js'

const docsAtOnce = 25_000

/** @param samples of each of the two runs, over four tasks */
export async function makeStore(
  folder: string,
  samples: number,
  tell: (line: string) => void,
): Promise<readonly string[]> {
  const store = await openStore(folder, { cacheMb: 1_500 })
  try {
    const media = await inParallel(Math.min(10_000, Math.ceil(samples / 100)), 16, async number => {
      const { digest } = await store.media.addBytes(await picture(number))
      return digest
    })
    tell(`${media.length} pictures`)
    const names: string[] = []
    for (const [seed, model] of ['small-vision-1', 'large-vision-2'].entries()) {
      const made = new MadeRun(model, seed, samples, media)
      for (const part of made.parts()) {
        await store.importRun(part.run, 'refuse')
        tell(`${model}: ${part.done.toLocaleString('en')} samples`)
      }
      names.push(made.name)
    }
    return names
  } finally {
    await store.close()
  }
}

/** A small picture, unlike the others. */
async function picture(number: number): Promise<Buffer> {
  const at = (shift: number): number => (number >> shift) & 15
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240"><rect width="320" height="240" fill="hsl(${(number * 37) % 360} 60% 80%)"/>
    <circle cx="${60 + 12 * at(0)}" cy="${50 + 9 * at(4)}" r="${20 + 3 * at(8)}" fill="hsl(${(number * 53) % 360} 70% 45%)"/>
    <rect x="${200 - 8 * at(4)}" y="${150 - 6 * at(0)}" width="${30 + 4 * at(8)}" height="40" fill="hsl(${(number * 71) % 360} 70% 35%)"/></svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 70 }).toBuffer()
}

class MadeRun {
  readonly #asked: RunSpec
  readonly #provenance: RunProvenance
  readonly #perTask: number
  readonly #sums = new Map<
    string,
    { n: number; total: number; right: number; task: string; field?: string; label?: string }
  >()
  readonly #model: string
  readonly #seed: number
  readonly #media: readonly MediaDigest[]

  constructor(model: string, seed: number, samples: number, media: readonly MediaDigest[]) {
    this.#model = model
    this.#seed = seed
    this.#media = media
    this.#perTask = Math.ceil(samples / madeTasks.length)
    this.#asked = {
      tasks: madeTasks.map(name => ({
        name,
        identity: taskIdentity(name),
        dataset: { path: `${name}.jsonl`, files: {} },
      })),
      model: madeModel(model),
      code: madeCode.key,
      selection: {},
    }
    const scoring = { output_type: 'generate_until', config: madeRules.config }
    this.#provenance = {
      version: '0.0.0',
      node: process.version,
      config: { model: 'openai', model_args: { model }, tasks: madeTasks },
      scoring: Object.fromEntries(madeTasks.map(name => [name, scoring])),
    }
  }

  get name(): string {
    return runName(runKey(this.#asked).key)
  }

  /** The run in parts, each of which an import adds. The last one finishes the judgement. */
  *parts(): Generator<{ readonly run: PortableRun; readonly done: number }> {
    const done = madeTasks.map(() => 0)
    for (const task of madeTasks.keys()) {
      for (let start = 0; start < this.#perTask; start += docsAtOnce) {
        const end = Math.min(this.#perTask, start + docsAtOnce)
        const docs = Array.from({ length: end - start }, (_, number) =>
          madeDoc({ model: this.#model, seed: this.#seed, task, index: start + number, media: this.#media }),
        )
        for (const doc of docs) this.#count(doc)
        done[task] = end
        const isLast = task === madeTasks.length - 1 && end === this.#perTask
        yield { run: this.#portable(docs, done, isLast), done: done.reduce((sum, n) => sum + n, 0) }
      }
    }
  }

  #portable(docs: readonly MadeDoc[], done: readonly number[], isLast: boolean): PortableRun {
    const { key } = runKey(this.#asked)
    const createdAt = 1_760_000_000_000 + this.#seed * 60_000
    return {
      id: key,
      name: runName(key),
      asked: this.#asked,
      provenance: this.#provenance,
      createdAt,
      progress: done.map(n => ({ docs: n, finished: n === this.#perTask })),
      pending: 0,
      preimages: once(madePreimages(this.#model)),
      items: once(docs.map(({ item }) => item)),
      responses: once(docs.flatMap(({ response }) => response ?? [])),
      failures: once(docs.flatMap(({ failure }) => failure ?? [])),
      judgements: [
        {
          number: 1,
          tasks: madeTasks.map(() => madeRules),
          createdAt: createdAt + 1_000,
          ...(isLast ? { finishedAt: createdAt + 2_000, aggregates: this.#aggregates() } : {}),
          verdicts: once(docs.flatMap(({ verdict }) => verdict ?? [])),
        },
      ],
    }
  }

  #count({ item: { task }, groups, value }: MadeDoc): void {
    const add = (key: string, of: { field?: string; label?: string }): void => {
      const sum = this.#sums.get(key) ?? { n: 0, total: 0, right: 0, task, ...of }
      sum.total += 1
      if (value !== undefined) {
        sum.n += 1
        sum.right += value
      }
      this.#sums.set(key, sum)
    }
    add(task, {})
    for (const [field, label] of Object.entries(groups)) add(`${task} ${field} ${label}`, { field, label })
  }

  #aggregates(): readonly Aggregate[] {
    return [...this.#sums.values()].map(({ task, field, label, n, total, right }): Aggregate => {
      const value = right / n
      const stderr = Math.sqrt((value * (1 - value)) / n)
      return {
        task,
        metric: 'exact_match',
        filter: 'none',
        ...(field === undefined || label === undefined ? {} : { group: { field, label } }),
        value,
        stderr,
        interval: [value - 1.96 * stderr, value + 1.96 * stderr],
        intervalMethod: 'wilson',
        higherIsBetter: true,
        n,
        total,
        unparsed: 0,
        empty: 0,
      }
    })
  }
}

const once = <Row>(rows: readonly Row[]) =>
  async function* (): AsyncGenerator<readonly Row[]> {
    yield await Promise.resolve(rows)
  }

export const labelsPerDoc = Object.keys(breakdown).length

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder, samples = '1000000'] = process.argv.slice(2)
  if (folder === undefined) throw new RangeError('usage: make-store.js FOLDER [SAMPLES]')
  const startedAt = performance.now()
  const tell = (line: string): void => console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s  ${line}`)
  const names = await makeStore(folder, Number(samples), tell)
  console.log(names.join('\n'))
}
