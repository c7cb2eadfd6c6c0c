/** Groups the names that `--tasks` takes by their benchmark. */
import type { TaskRow } from '../../../present/page/data/index.js'

/** A benchmark with the names that belong to it, and what its tasks have in common. */
export interface Benchmark {
  readonly name: string
  readonly rows: readonly TaskRow[]
  /** The number of its tasks, without groups and tags. */
  readonly tasks: number
  readonly modality: string
  readonly metrics: string
  readonly source: string
}

export interface TaskSearch {
  /** Words, each of which a row has in its name, benchmark, modality, metrics or dataset. */
  readonly q: string
  /** An empty text means all kinds. */
  readonly kind: string
}

/** Finds the rows that a search means. */
export function searchTasks(rows: readonly TaskRow[], { q, kind }: TaskSearch): readonly TaskRow[] {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
  return rows.filter(row => {
    const { name, benchmark = '', modality = '', metrics = [], source = '' } = row
    const text = [name, benchmark, modality, ...metrics, source].join(' ').toLowerCase()
    return (kind === '' || row.kind === kind) && words.every(word => text.includes(word))
  })
}

/** Groups rows by benchmark, sorted by name. A row without a benchmark is one of its own. Groups and tags come before the tasks. */
export function groupByBenchmark(rows: readonly TaskRow[]): readonly Benchmark[] {
  const grouped = new Map<string, TaskRow[]>()
  for (const row of rows) {
    const key = row.benchmark ?? row.name
    const own = grouped.get(key)
    if (own === undefined) grouped.set(key, [row])
    else own.push(row)
  }
  return [...grouped]
    .map(([name, own]) => {
      const tasks = own.filter(({ kind }) => kind === 'task')
      return {
        name,
        rows: own.toSorted((a, b) => Number(a.kind === 'task') - Number(b.kind === 'task')),
        tasks: tasks.length,
        modality: joinDistinct(tasks.flatMap(({ modality }) => modality?.split(', ') ?? [])),
        metrics: joinDistinct(tasks.flatMap(({ metrics = [] }) => metrics)),
        source: joinDistinct(tasks.flatMap(({ source }) => (source === undefined ? [] : source.split(', ', 1)))),
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

/** The maximum number of different values that a benchmark names. */
const mostValues = 2

function joinDistinct(values: readonly string[]): string {
  const distinct = [...new Set(values)].filter(value => value !== '')
  const rest = distinct.length - mostValues
  return `${distinct.slice(0, mostValues).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
