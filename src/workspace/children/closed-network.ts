import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import workers from 'node:worker_threads'

/**
 * Disables the network in this process permanently, because Node's permission model does not cover it. New threads
 * are refused too, since a thread has its own built-in modules with an open network.
 */
export function closeNetwork(): void {
  refuse(net.Socket.prototype, ['connect'])
  refuse(net.Server.prototype, ['listen'])
  refuse(dgram.Socket.prototype, ['bind', 'connect', 'send', 'sendto'])
  for (const lookups of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    refuse(lookups, functionsOf(lookups))
  refuse(workers, ['Worker'])
  refuse(globalThis, ['fetch', 'WebSocket', 'EventSource'])
  syncBuiltinESMExports()
}

function refuse(owner: object, names: readonly string[]): void {
  for (const name of names) {
    // Not an arrow function, because `new` must be able to call it.
    function value() {
      throw new Error(`${name} is not for the reader of documents`)
    }
    Object.defineProperty(owner, name, { value, writable: false, configurable: false })
  }
}

/** Names of all functions, also those of prototypes, which `Object.keys` does not list. */
function functionsOf(owner: object): readonly string[] {
  const properties = [owner, Object.getPrototypeOf(owner)].flatMap((object) =>
    object === Object.prototype ? [] : Object.getOwnPropertyNames(object),
  )
  return properties.filter((name) => name !== 'constructor' && typeof Reflect.get(owner, name) === 'function')
}
