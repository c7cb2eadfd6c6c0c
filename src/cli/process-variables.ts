import { isProxySet } from '../../stages/model/backends/http/wire/proxy.js'

/**
 * Sets variables of this process while `work` runs. The program itself is given its variables as values (src/config/variables.ts): these are for code of
 * users, which may read `process.env`, and for Node's `fetch`, whose proxy is one for the process. Only the command line calls this, for one run at a time.
 */
export async function withVariables<T>(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map(name => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  await followProxies(variables)
  try {
    return await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
    await followProxies(variables)
  }
}

async function followProxies(changed: Readonly<Record<string, string>>): Promise<void> {
  if (!isProxySet(changed)) return
  const { proxyFetch } = await import('./proxied-fetch.js')
  proxyFetch(process.env)
}

/** Sets variables of this process for good, before a command begins. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables)
}
