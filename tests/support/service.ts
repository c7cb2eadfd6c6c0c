/** A server of the built program on a free port, and requests to it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCli, type Ended, type Started } from './cli.js'

export interface RunningService extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  readonly told: () => string
  /** Sends a request with a JSON body where one is given. */
  request(
    path: string,
    init?: { readonly method?: string; readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>
  /** The JSON that an address answers with. @throws if the status is not 200 */
  json<T>(path: string, init?: Parameters<RunningService['request']>[1]): Promise<T>
  /** Ends it by a signal. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** Starts `pipeline serve` and waits until it listens. */
export async function startService(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<RunningService> {
  const started = startCli(['serve', '--port', '0', ...args], options)
  let said = ''
  started.child.stdout?.on('data', (text: string) => (said += text))
  const url = await addressOf(started, () => said)
  const request: RunningService['request'] = (path, { method, json, headers } = {}) =>
    fetch(url + path, {
      method: method ?? (json === undefined ? 'GET' : 'POST'),
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> => {
    started.child.kill(signal)
    return started.ended
  }
  return {
    url,
    pid: started.child.pid ?? 0,
    told: started.told,
    request,
    async json<T>(path: string, init?: Parameters<RunningService['request']>[1]) {
      const answer = await request(path, init)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as T
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

async function addressOf(started: Started, said: () => string): Promise<string> {
  let ended: Ended | undefined
  void started.ended.then(end => (ended = end))
  while (ended === undefined && !said().includes('service: ')) await sleep(20)
  const url = /service: (http:\S+)/.exec(said())?.[1]
  if (url === undefined) throw new Error(`the service did not start: ${ended?.stderr ?? said()}`)
  return url
}

/** Writes a task with so many docs, whose answer is "yes". @returns the folder for `--include-path` */
export async function yesTask(folder: string, docs: number, name = 'yes_task'): Promise<string> {
  const own = join(folder, 'tasks', name)
  await mkdir(own, { recursive: true })
  await writeFile(join(own, `${name}.yaml`), taskYaml(name))
  const rows = Array.from({ length: docs }, (_, index) =>
    JSON.stringify({ question: `Is ${index} a number?`, answer: 'yes' }),
  )
  await writeFile(join(own, 'docs.jsonl'), `${rows.join('\n')}\n`)
  return join(folder, 'tasks')
}

const taskYaml = (name: string): string => `task: ${name}
dataset_path: json
dataset_kwargs: { data_files: ./docs.jsonl }
test_split: train
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
metric_list:
  - metric: exact_match
`

/** Events of a job until its stream ends, or `until` is satisfied. */
export async function eventsOf(
  service: RunningService,
  job: string,
  { after, until = () => false }: { readonly after?: number; readonly until?: (event: ServiceEvent) => boolean } = {},
): Promise<ServiceEvent[]> {
  const answer = await service.request(`/jobs/${job}/events`, {
    headers: after === undefined ? {} : { 'last-event-id': String(after) },
  })
  const found: ServiceEvent[] = []
  let text = ''
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = parsed(text.slice(0, end))
      text = text.slice(end + 2)
      if (event === undefined) continue
      found.push(event)
      if (until(event)) return found
    }
  }
  return found
}

export interface ServiceEvent {
  readonly id: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

function parsed(text: string): ServiceEvent | undefined {
  const fields = new Map(
    text.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return {
    id: Number(fields.get('id')),
    type: fields.get('event') ?? '',
    data: JSON.parse(data) as ServiceEvent['data'],
  }
}
