/** Reads the user's session with the server. */
import { getJson, postJson } from '../data/http-source.js'
import { SourceError } from '../data/source.js'

/** The permissions of the signed-in person. */
export interface Session {
  /** With `read`, nothing can be changed. */
  readonly scope: 'read' | 'submit' | 'admin'
}

/** Finds the current session. @returns undefined if the server needs a session and there is none */
export async function findSession(): Promise<Session | undefined> {
  try {
    return await getJson<Session>('session')
  } catch (error) {
    if (error instanceof SourceError && error.status === 401) return undefined
    throw error
  }
}

/** @throws SourceError if the token is wrong */
export const signIn = (token: string): Promise<Session> => postJson('/view/session', { token })
