/** `pipeline ui` of the built program, as a user starts it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startCli } from './cli.js'

export interface ViewerProcess {
  /** The address that it prints, with what lets this browser in. */
  readonly address: string
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  stop(): Promise<void>
}

export async function startViewer(store: string, flags: readonly string[] = []): Promise<ViewerProcess> {
  const started = startCli(['ui', '--store', store, '--port', '0', '--no-open', ...flags])
  let end: string | undefined
  void started.ended.then(({ stderr, stdout }) => (end = `${stdout}${stderr}`))
  for (;;) {
    const address = /http:\/\/\S+\?t=[\w-]+/.exec(started.printed())?.[0]
    if (address !== undefined) {
      return {
        address,
        origin: new URL(address).origin,
        stop: async () => {
          started.child.kill('SIGTERM')
          await started.ended
        },
      }
    }
    if (end !== undefined) throw new Error(`the viewer did not start: ${end}`)
    await sleep(20)
  }
}
