import type { PageProps } from '../../app.js'
import { findTask, listTasks } from '../../data/service.js'
import { useLoaded } from '../../data/use-loaded.js'
import { go, formatHash, useQuery } from '../../routing/address.js'
import { useShortcuts } from '../../routing/keys.js'
import { Problem } from '../../parts/problem.js'

/** The maximum number of listed names. The others are found by typing. */
const mostShown = 400

/** The tasks, groups and tags that a run can name. */
export function TasksPage() {
  const tasks = useLoaded('tasks', () => listTasks())
  const [query, setQuery] = useQuery()
  const { q = '', kind = '' } = query
  useShortcuts([
    { keys: ['/'], does: 'search tasks', run: () => document.getElementById('task-search')?.focus() },
    { keys: ['n'], does: 'new run', run: () => go(formatHash(['new'])) },
  ])
  const words = q.toLowerCase().split(/\s+/)
  const matchingTasks = (tasks.value ?? []).filter(
    task => (kind === '' || task.kind === kind) && words.every(word => task.name.toLowerCase().includes(word)),
  )
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
            placeholder="a part of the name"
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
            : `${matchingTasks.length.toLocaleString('en')} of ${tasks.value.length.toLocaleString('en')}`}
        </span>
      </form>
      <Problem of={tasks} />
      <ul class="names">
        {matchingTasks.slice(0, mostShown).map(({ name, kind: its }) => (
          <li key={`${its} ${name}`}>
            <a href={formatHash(['tasks', name])}>{name}</a>
            {its !== 'task' && <span class="kind">{its}</span>}
          </li>
        ))}
      </ul>
      {matchingTasks.length > mostShown && (
        <p class="dim">Only the first {mostShown} are shown. Type a part of the name to find others.</p>
      )}
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
