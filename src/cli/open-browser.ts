import { spawn } from 'node:child_process'

/** Returns a function that opens an address in the user's browser. @returns undefined if there is no display, or no program to open addresses */
export function browserOpener(env: Readonly<Record<string, string | undefined>>): ((url: string) => void) | undefined {
  const { platform } = process
  const hasDisplay = platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])
  const line = hasDisplay ? programs[platform] : undefined
  if (line === undefined) return undefined
  const [program, ...args] = line
  return url => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    // The address was printed, so that nothing is lost where the program is missing.
    child.once('error', () => undefined)
    child.unref()
  }
}

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
