import { ownProjectName } from '../../turns/sessions/projects.ts'
import type { Texts } from '../texts/catalogue.ts'

/** The name of a project. The one that the first question creates has its name in the language of the page. */
export function projectName({ projects }: Texts, name: string): string {
  return name === ownProjectName ? projects.own : name
}
