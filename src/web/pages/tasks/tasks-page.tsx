import type { PageProps } from '../../app.js'
import { formatCount, formatQuantity } from '../../../../base/text/numbers.js'
import { findTask, listTasks } from '../../data/service.js'
import { useLoaded } from '../../data/use-loaded.js'
import { go, formatHash, useQuery } from '../../routing/address.js'
import { useShortcuts } from '../../routing/keys.js'
import { Problem } from '../../parts/problem.js'
import { groupByBenchmark, searchTasks } from './benchmarks.js'
import { TaskTable } from './task-table.js'

/** The maximum number of found names that are shown without opening their benchmarks. */
const mostOpened = 150

/** The tasks, groups and tags that a run can name. */
export function TasksPage() {
  const tasks = useLoaded('tasks', () => listTasks())
  const [query, setQuery] = useQuery()
  const { q = '', kind = '' } = query
  useShortcuts([
    { keys: ['/'], does: 'search tasks', run: () => document.getElementById('task-search')?.focus() },
    { keys: ['n'], does: 'new run', run: () => go(formatHash(['new'])) },
  ])
  const rows = tasks.value ?? []
  const matchingRows = searchTasks(rows, { q, kind })
  const benchmarks = groupByBenchmark(matchingRows)
  const open = new Set((query['open'] ?? '').split(',').filter(name => name !== ''))
  // What a search finds is shown, unless that is too much to read.
  const isOpen = (name: string): boolean => open.has(name) || (q !== '' && matchingRows.length <= mostOpened)
  const toggle = (name: string): void => {
    const next = open.has(name) ? [...open].filter(other => other !== name) : [...open, name]
    setQuery({ open: next.join(',') })
  }
  return (
    <section class="tasks-page">
      <h1>Tasks</h1>
      <form class="filters" role="search" onSubmit={event => event.preventDefault()}>
        <label>
          Search{' '}
          <input
            id="task-search"
            type="search"
            value={q}
            placeholder="name, dataset, modality or metric"
            onInput={event => setQuery({ q: event.currentTarget.value })}
          />
        </label>
        <label>
          Kind{' '}
          <select value={kind} onChange={event => setQuery({ kind: event.currentTarget.value })}>
            <option value="">all</option>
            <option value="task">tasks</option>
            <option value="group">groups</option>
            <option value="tag">tags</option>
          </select>
        </label>
        <span role="status">
          {tasks.value === undefined
            ? 'loading'
            : `${formatCount(matchingRows.length)} of ${formatCount(rows.length)} in ${formatQuantity(benchmarks.length, 'benchmark')}`}
        </span>
      </form>
      <Problem of={tasks} />
      {benchmarks.length > 0 && <TaskTable {...{ benchmarks, isOpen, toggle }} />}
    </section>
  )
}

/** Shows one task: its facts, and the prompt of its first doc. */
export function TaskPage({ address }: PageProps) {
  const name = address.path[1] ?? ''
  const task = useLoaded(`task ${name}`, () => findTask(name))
  const { value } = task
  return (
    <section class="task-page">
      <p class="crumbs">
        <a href={formatHash(['tasks'])}>Tasks</a>
      </p>
      <h1>{name}</h1>
      <Problem of={task} />
      {task.isLoading && <p role="status">loading</p>}
      {value !== undefined && !task.isLoading && (
        <>
          {value.about !== undefined && <p class="about">{value.about}</p>}
          <p>
            <a class="button" href={formatHash(['new'], { tasks: name })}>
              Start a run with it
            </a>
          </p>
          {value.members !== undefined && (
            <ul class="names">
              {value.members.map(member => (
                <li key={member}>
                  <a href={formatHash(['tasks', member])}>{member}</a>
                </li>
              ))}
            </ul>
          )}
          {value.example !== undefined && <Example example={value.example} />}
          {value.facts !== undefined && (
            <>
              <h2>What it does</h2>
              <dl class="facts">
                {value.facts.map(([fact, text]) => (
                  <div key={fact}>
                    <dt>{fact}</dt>
                    <dd>{text}</dd>
                  </div>
                ))}
              </dl>
            </>
          )}
          {value.yaml !== undefined && (
            <details>
              <summary>All keys (YAML)</summary>
              <pre class="code" tabIndex={0}>
                {value.yaml}
              </pre>
            </details>
          )}
        </>
      )}
    </section>
  )
}

function Example({
  example,
}: {
  readonly example: { readonly prompt: string; readonly target: string; readonly note?: string } | string
}) {
  return (
    <>
      <h2>The first doc, as a model is asked it</h2>
      {typeof example === 'string' ? (
        <p class="dim">It cannot be shown: {example}</p>
      ) : (
        <>
          {example.note !== undefined && <p class="dim">{example.note}</p>}
          <pre class="code" tabIndex={0}>
            {example.prompt}
          </pre>
          <p>
            Target: <code>{example.target}</code>
          </p>
        </>
      )}
    </>
  )
}
