/** The oldest Node that runs the program; `engines` in package.json says the same. Older ones crash when they load SQLite. */
export const oldestNode = '22.14'

/**
 * Words the required Node version in one line.
 * @param version the value of `process.versions.node`: `20.20.2`
 * @returns undefined if this Node is new enough
 */
export function describeOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [needed = 0, neededMinor = 0] = oldestNode.split('.').map(Number)
  if (major > needed || (major === needed && minor >= neededMinor)) return undefined
  return `pipeline needs Node ${oldestNode} or newer, and this is Node ${version} (${process.execPath}). Install a newer one (https://nodejs.org), and start again.`
}
