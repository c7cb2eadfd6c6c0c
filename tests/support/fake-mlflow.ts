import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface MlflowRequest {
  readonly path: string
  readonly body: string
  readonly authorization?: string | undefined
}

interface Entry {
  readonly key: string
  readonly value: string
}

/** A server that keeps one experiment and its runs, and has the limits of MLflow's servers that the tests are about. */
export async function fakeMlflow({
  longestParameter = 6_000,
  artifacts = 'mlflow-artifacts:/1/r1/artifacts',
  failing = 0,
}: { readonly longestParameter?: number; readonly artifacts?: string; readonly failing?: number } = {}) {
  const requests: MlflowRequest[] = []
  let isThere = false
  let failuresLeft = failing
  let status = ''
  const tags = new Map<string, string>()
  const params = new Map<string, string>()
  const list = (entries: ReadonlyMap<string, string>) => [...entries].map(([key, value]) => ({ key, value }))
  const answer = (path: string, body: string): readonly [number, object] => {
    if (path.startsWith('/api/2.0/mlflow-artifacts/')) return [200, {}]
    const given = JSON.parse(body === '' ? '{}' : body) as Readonly<Record<string, readonly Entry[] | undefined>>
    const call = path.replace('/api/2.0/mlflow/', '').replace(/\?.*/, '')
    for (const { key, value } of given['tags'] ?? []) tags.set(key, value)
    if (call === 'experiments/get-by-name')
      return isThere
        ? [200, { experiment: { experiment_id: '1', lifecycle_stage: 'active' } }]
        : [404, { error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'no such experiment' }]
    if (call === 'experiments/create') {
      isThere = true
      return [200, { experiment_id: '1' }]
    }
    const info = { run_id: 'r1', artifact_uri: artifacts, status }
    if (call === 'runs/search')
      return [200, status === '' ? {} : { runs: [{ info, data: { tags: list(tags), params: list(params) } }] }]
    if (call === 'runs/create') status = 'RUNNING'
    if (call === 'runs/create') return [200, { run: { info } }]
    if (call === 'runs/update') status = 'FINISHED'
    const long = (given['params'] ?? []).find(({ value }) => value.length > longestParameter)
    if (long !== undefined)
      return [
        400,
        {
          error_code: 'INVALID_PARAMETER_VALUE',
          message: `Param value had length ${long.value.length}, which exceeded length limit of ${longestParameter}`,
        },
      ]
    for (const { key, value } of given['params'] ?? []) params.set(key, value)
    return [200, {}]
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      const path = request.url ?? ''
      requests.push({ path, body, authorization: request.headers.authorization })
      const isFailing = failuresLeft > 0 && path.includes('log-batch')
      if (isFailing) failuresLeft -= 1
      const [code, json] = isFailing ? ([503, {}] as const) : answer(path, body)
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
