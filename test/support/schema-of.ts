import type pg from 'pg'

/**
 * What a database's schema has, one line per object and column, sorted: tables, columns, constraints, indexes, policies,
 * triggers, functions, sequences and settings of storage. The order of columns in a table is left out.
 */
export async function schemaOf(client: pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ line: string }>(statement)
  return rows.map(({ line }) => line).toSorted()
}

const statement = `
  with own as (
    select c.* from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname not like '\\_\\_drizzle%'
  )
  select format('relation %s %s %s %s rls %s %s', relkind, relname, relpersistence, coalesce(reloptions::text, ''),
    relrowsecurity, relforcerowsecurity) as line from own
  union all
  select format('column %s.%s %s null %s storage %s %s default %s identity %s stats %s %s', o.relname, a.attname,
    format_type(a.atttypid, a.atttypmod), not a.attnotnull, a.attstorage, a.attcompression,
    pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attstattarget, coalesce(a.attoptions::text, ''))
  from own o join pg_attribute a on a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where o.relkind in ('r', 'v', 'p')
  union all
  select format('constraint %s.%s %s valid %s', o.relname, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
  from own o join pg_constraint c on c.conrelid = o.oid
  union all
  select format('index %s', pg_get_indexdef(i.indexrelid)) from own o join pg_index i on i.indrelid = o.oid
  union all
  select format('policy %s.%s %s %s %s using %s check %s', o.relname, p.polname, p.polcmd, p.polpermissive, p.polroles,
    pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
  from own o join pg_policy p on p.polrelid = o.oid
  union all
  select format('trigger %s enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
  from own o join pg_trigger t on t.tgrelid = o.oid where not t.tgisinternal
  union all
  select format('function %s', pg_get_functiondef(p.oid)) from pg_proc p
  where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all
  select format('sequence %s %s from %s by %s owned by %s', s.seqrelid::regclass, format_type(s.seqtypid, null), s.seqstart,
    s.seqincrement, (select format('%s.%s', d.refobjid::regclass, a.attname) from pg_depend d
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.objid = s.seqrelid and d.deptype = 'a'))
  from own o join pg_sequence s on s.seqrelid = o.oid
  union all
  select format('type %s', t.typname) from pg_type t where t.typnamespace = 'public'::regnamespace
    and t.typtype in ('e', 'd')`
