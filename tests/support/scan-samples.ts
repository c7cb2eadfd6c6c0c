import { isInRange, makeHistograms, measures, type Measure } from '../../cache/facts/histogram.js'
import { labelsOfRun } from '../../cache/facts/current-labels.js'
import { scanDocs, type ScannedSample } from './scan-docs.js'
import { factsReader, type SampleFacts } from '../../cache/facts/sample-facts.js'
import type { Price } from '../../cache/facts/compute-cost.js'
import { countCharacters } from '../../cache/facts/count-characters.js'
import { knownDuration } from '../../cache/facts/known-duration.js'
import { sumCosts } from '../../cache/facts/sample-cost.js'
import type { LabelValue } from '../../cache/records.js'
import type {
  FoundSample,
  KindFacts,
  OpenedRun,
  Sample,
  SampleIndex,
  SampleQuestion,
  Store,
} from '../../cache/store.js'

/** Reads all samples of a run for each question. It needs no preparation, and suits small runs only. */
export function scanSamples(store: Pick<Store, 'judgements' | 'labels'>): SampleIndex {
  return {
    async find(opened, question, against, signal) {
      const all = await readAll(store, opened, against, signal)
      const found = sortFound(all, question)
      const page = found.slice(question.offset, question.offset + question.limit)
      const prepared = { of: all.length, filters: all.length, text: all.length }
      return { total: found.length, prepared, offset: question.offset, samples: page.map(foundSample) }
    },
    async findDocs(runs, question, signal) {
      const filter: SampleQuestion = { ...question, kind: { name: 'all', passes: () => true }, sort: 'doc' }
      const scanned = await Promise.all(
        runs.map(async run => (await readAll(store, run, undefined, signal)).map(known => scanSample(known, filter))),
      )
      const of = scanned.reduce((sum, { length }) => sum + length, 0)
      return { ...scanDocs(scanned, question), prepared: { of, filters: of, text: of } }
    },
    async facets(opened) {
      const fields = new Map<string, Map<string, number>>()
      for (const { sample } of await readAll(store, opened)) {
        for (const [field, label] of Object.entries(sample.score?.groups ?? {})) {
          const labels = fields.get(field) ?? new Map<string, number>()
          fields.set(field, labels.set(label, (labels.get(label) ?? 0) + 1))
        }
      }
      return [...fields].map(([field, counts]) => {
        const labels = [...counts].map(([label, docs]) => ({ label, docs }))
        labels.sort((a, b) => b.docs - a.docs || (a.label < b.label ? -1 : 1))
        return { field, labels: labels.slice(0, 50), more: Math.max(0, labels.length - 50) }
      })
    },
    async histograms(opened, question, signal) {
      const all = await readAll(store, opened, undefined, signal)
      const found = all.filter(known => isWanted(known, question))
      const histograms = makeHistograms(measure => Float64Array.from(found, known => sortValue(known, measure) ?? NaN))
      return { prepared: { of: all.length, filters: all.length, text: all.length }, histograms }
    },
    async position(opened, question, place, against) {
      const found = sortFound(await readAll(store, opened, against), question)
      return found.findIndex(({ sample }) => sample.task === place.task && sample.index === place.index)
    },
    prepare: () => undefined,
  }
}

interface Known {
  /** The name of the doc, which is the same in all runs. */
  readonly key: string
  readonly sample: Sample
  readonly facts: SampleFacts
  readonly task: string
  readonly price: Price | undefined
  readonly marked: LabelValue | undefined
  /** Undefined without another run. */
  readonly otherValue: number | null | undefined
}

const foundSample = ({ sample: { task, index }, marked, otherValue }: Known): FoundSample => ({
  task,
  index,
  ...(marked !== undefined && { marked }),
  ...(otherValue !== undefined && { otherValue }),
})

const scanSample = (known: Known, filter: SampleQuestion): ScannedSample => {
  const { key, task, facts, sample } = known
  return { key, task, facts, place: { task: sample.task, index: sample.index }, isWanted: isWanted(known, filter) }
}

async function readAll(
  store: Pick<Store, 'judgements' | 'labels'>,
  opened: OpenedRun,
  against?: OpenedRun,
  signal?: AbortSignal,
): Promise<readonly Known[]> {
  const others = new Map<string, SampleFacts>()
  if (against !== undefined)
    for (const { key, facts } of await readSamples(store, against, signal)) others.set(key, facts)
  const marks = await labelsOfRun(store, opened.run, opened.judgement)
  return (await readSamples(store, opened, signal)).map(({ key, sample, facts, task }) => {
    const other = others.get(key)
    const otherValue = other?.metric === facts.metric ? other.value : null
    return {
      key,
      sample,
      facts,
      task,
      price: opened.price,
      marked: marks.get(`${sample.task}/${sample.index}`)?.at(-1)?.label ?? undefined,
      otherValue: against === undefined ? undefined : otherValue,
    }
  })
}

/** Docs with equal ids are distinguished by their order, as a comparison does. */
async function readSamples(store: Pick<Store, 'judgements'>, opened: OpenedRun, signal?: AbortSignal) {
  const { run, judgement } = opened
  const factsOf = factsReader(opened)
  const seen = new Map<string, number>()
  const all: { key: string; sample: Sample; facts: SampleFacts; task: string }[] = []
  for await (const sample of store.judgements.samples(run, judgement)) {
    signal?.throwIfAborted()
    const task = run.asked.tasks[sample.task]?.name ?? ''
    const name = `${task}\u0000${sample.id}`
    const before = seen.get(name) ?? 0
    seen.set(name, before + 1)
    all.push({ key: `${name}\u0000${before}`, sample, facts: factsOf(sample), task })
  }
  return all
}

function sortFound(all: readonly Known[], question: SampleQuestion): readonly Known[] {
  const found = all.filter(known => isWanted(known, question))
  const { sort = 'doc', descending = false } = question
  if (sort === 'doc') return descending ? found.reverse() : found
  return found.sort((a, b) => {
    const [first, second] = [sortValue(a, sort), sortValue(b, sort)]
    if (first === null || second === null || first === second)
      return Number(first === null) - Number(second === null) || byPlace(a, b)
    return descending ? second - first : first - second
  })
}

const byPlace = ({ sample: a }: Known, { sample: b }: Known): number => a.task - b.task || a.index - b.index

function isWanted(known: Known, { kind, task, labels = {}, marked, ranges = {}, q = '' }: SampleQuestion): boolean {
  const { facts, sample } = known
  if (task !== undefined && known.task !== task) return false
  if (Object.entries(labels).some(([field, label]) => sample.score?.groups?.[field] !== label)) return false
  if (marked !== undefined && known.marked !== marked) return false
  if (measures.some(one => ranges[one] !== undefined && !isInRange(sortValue(known, one), ranges[one]))) return false
  const change = computeDifference(known)
  const sign = change === null ? null : (Math.sign(change) as KindFacts['change'])
  return (
    kind.passes({ ...facts, isLabelled: known.marked !== undefined, change: sign }) && hasWords(readText(sample), q)
  )
}

function computeDifference({ facts: { value, isLowerBetter }, otherValue }: Known): number | null {
  if (value === null || otherValue === null || otherValue === undefined) return null
  return isLowerBetter ? otherValue - value : value - otherValue
}

function sortValue(known: Known, sort: Exclude<SampleQuestion['sort'], 'doc' | undefined> | Measure): number | null {
  const metas = known.sample.items.flatMap(({ response }) => (response === undefined ? [] : [response.meta]))
  const tokens = metas.flatMap(({ usage }) => usage?.outputTokens ?? [])
  const [meta] = metas
  switch (sort) {
    case 'value':
      return known.facts.value
    case 'tokens':
      return tokens.length === 0 ? null : tokens.reduce((sum, count) => sum + count, 0)
    case 'characters':
      return countCharacters(known.sample)
    case 'duration':
      return (meta && knownDuration(meta)) ?? null
    case 'cost':
      return sumCosts(metas, known.price) ?? null
    case 'change':
      return computeDifference(known)
  }
}

const readText = ({ id, record, items }: Sample): string => {
  const shown = items.flatMap(({ request, response }) => [
    ...(request?.input.messages.flatMap(({ content }) =>
      content.flatMap(part => (part.type === 'text' ? [part.text] : [])),
    ) ?? []),
    response?.body.text ?? '',
  ])
  return `${id} ${JSON.stringify(record.target)} ${shown.join(' ')}`
}

/** Tells whether a text has all words of a query. Short words match whole words, longer ones match prefixes. */
function hasWords(text: string, q: string): boolean {
  const words = splitWords(text)
  return splitWords(q).every(wanted =>
    words.some(word => (wanted.length < 3 ? word === wanted : word.startsWith(wanted))),
  )
}

const splitWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
