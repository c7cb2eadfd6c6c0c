/** `pipeline mcp`: the tools over standard input and output, and the workers of the jobs. */
import { Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { Store } from '../../../cache/store.js'
import type { ServeFlags } from '../settings.js'
import { awaitAbort, readyService, type ServiceProcess } from '../start-service.js'
import { agentServer } from './agent-server.js'

/** Maximum size of a message from the agent, in bytes. */
const mostBytes = 4 * 1024 * 1024

/** Serves one agent until it closes standard input, or until `stop`. Jobs that run then go back into the queue. */
export async function serveStdio(
  store: Store & PortableStore,
  flags: ServeFlags,
  { env, stop, tell }: ServiceProcess,
): Promise<void> {
  const ready = await readyService(store, flags, { env, tell })
  const gone = new AbortController()
  const leave = (): void => {
    gone.abort()
  }
  process.stdin.once('end', leave).once('close', leave)
  const transport = new StdioServerTransport(process.stdin, protocolOutput(leave), { maxBufferSize: mostBytes })
  // The user who started this process may do everything with its store.
  const server = agentServer(ready.service, { scope: 'admin' })
  server.server.onclose = leave
  await server.connect(transport)
  ready.start()
  try {
    await awaitAbort(AbortSignal.any([stop, gone.signal]))
  } finally {
    await server.close()
    await ready.close()
  }
}

/** Reserves standard output for the protocol. Output of plugins and libraries goes to standard error. */
function protocolOutput(onClosed: () => void): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  stdout.on('error', onClosed)
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      write(chunk, error => {
        done(error ?? null)
      })
    },
  })
}
