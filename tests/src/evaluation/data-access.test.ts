import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { dataAccess } from '../../../src/evaluation/data-access.js'
import { AddressError, fetchedFile, fetchingBy } from '../../../stages/input/datasets/locate/addresses.js'
import { temporaryFolder } from '../../support/store.js'

async function accessWith(env: Readonly<Record<string, string>>) {
  return dataAccess(env, { workFolder: await temporaryFolder(), emit: () => undefined })
}

async function serve(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.end('bytes')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`, seen }
}

test('with PIPELINE_MEDIA_HOSTS=public, rejects a local address without connecting to it', async () => {
  const { url, seen } = await serve()
  const access = await accessWith({ PIPELINE_MEDIA_HOSTS: 'public' })
  const error: unknown = await fetchedFile(url, fetchingBy(access, { isRenewed: false })).catch(
    (refused: unknown) => refused,
  )
  expect(error).toBeInstanceOf(AddressError)
  expect(error).toMatchObject({
    isPassing: false,
    message: `${url} can't be read: 127.0.0.1 is refused: it is not an address of the public internet`,
  })
  expect(seen).toEqual([])
})

test.each([{}, { PIPELINE_MEDIA_HOSTS: 'any' }, { PIPELINE_MEDIA_HOSTS: '' }])(
  'with %j, any host may be read',
  async env => {
    const { url, seen } = await serve()
    await fetchedFile(url, fetchingBy(await accessWith(env), { isRenewed: false }))
    expect(seen).toEqual(['/a.png'])
  },
)

test('rejects any other value of PIPELINE_MEDIA_HOSTS', async () => {
  await expect(accessWith({ PIPELINE_MEDIA_HOSTS: 'Public ' })).rejects.toThrow(
    'PIPELINE_MEDIA_HOSTS: expected "any" or "public", given "Public"',
  )
})
