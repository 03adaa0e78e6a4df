import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  type NewPlan,
  type PlanComparison,
  type PlanComparisonQuery,
  type PlanImport,
  type PlannedProperties,
  type PlannedPropertiesQuery,
  type PlanView,
  type PlanViewQuery,
} from '@sluice/console-api';
import { compareWithStored, openPlan } from '@sluice/operations';
import { listProperties, type Plan, preparePlanImport, PlanReader, PlanWriter, type WriteValue } from '@sluice/plans';
import { SourceReader } from '@sluice/sources';
import { conflict, invalid, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { Payloads } from '../payload/payloads.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';
import { viewComparison, viewPlan, viewUse } from './plan-views.js';

/** Versions of the plans of a source: what they demand, how they differ, and new ones from files. */
@Controller()
export class PlanVersionsController {
  constructor(
    private readonly sources: SourceReader,
    private readonly plans: PlanReader,
    private readonly writer: PlanWriter,
    private readonly actions: Actions,
    private readonly payloads: Payloads,
  ) {}

  @Serves('GET /api/sources/:id/plans/versions/:version')
  show(@Param('id') id: string, @Param('version') version: string, @Query() query: PlanViewQuery): PlanView {
    const plan = this.find(id, Number(version));
    const sources = [id, ...plan.sources.filter((source) => source !== id)];
    const uses = sources.map((sourceIdentifier) => {
      const source = { sourceIdentifier, sourceName: this.sources.registry.nameOf(sourceIdentifier) };
      return viewUse(plan.version, source, this.plans.registry.activation(sourceIdentifier));
    });
    return viewPlan(plan, uses, query);
  }

  @Serves('GET /api/sources/:id/plans/versions/:version/properties')
  properties(
    @Param('id') id: string,
    @Param('version') version: string,
    @Query() { event }: PlannedPropertiesQuery,
    @ActingUser() user: CurrentUser,
  ): PlannedProperties {
    const { events, traits } = this.find(id, Number(version));
    const shape = event === undefined ? traits : Object.hasOwn(events, event) ? events[event] : undefined;
    if (!shape) throw notFound(event === undefined ? 'The plan has no traits.' : 'The plan does not name this event.');
    return { properties: listProperties(shape, this.writeFor(user, id)) };
  }

  @Serves('GET /api/sources/:id/plans/versions/:version/file')
  file(@Param('id') id: string, @Param('version') version: string): Record<string, unknown> {
    return { ...this.find(id, Number(version)) };
  }

  @Serves('GET /api/sources/:id/plans/comparison')
  compare(
    @Param('id') id: string,
    @Query() { before, after, ...page }: PlanComparisonQuery,
    @ActingUser() user: CurrentUser,
  ): PlanComparison {
    return viewComparison(this.find(id, before), this.find(id, after), this.writeFor(user, id), page);
  }

  @Serves('POST /api/sources/:id/plans/check')
  check(@Param('id') id: string, @Body() body: NewPlan, @ActingUser() user: CurrentUser): PlanImport {
    return this.describe(user, id, this.read(id, body));
  }

  @Serves('POST /api/sources/:id/plans')
  async import(@Param('id') id: string, @Body() body: NewPlan, @ActingUser() user: CurrentUser): Promise<PlanImport> {
    const plan = this.read(id, body);
    const done = this.describe(user, id, plan);
    const details = { version: plan.version, sources: plan.sources, from: body.from ?? null };
    await this.actions.record(user, { operation: 'plans.import', object: id, details }, () =>
      this.writer.import(preparePlanImport(this.plans.registry, plan)),
    );
    return done;
  }

  private describe(user: CurrentUser, id: string, plan: Plan): PlanImport {
    const { version, created, unchanged, before } = compareWithStored(this.plans.registry, plan);
    const earlier = before === undefined ? undefined : this.plans.registry.plan(plan.sources[0] ?? '', before);
    const comparison = viewComparison(earlier, plan, this.writeFor(user, id));
    return { version, created, unchanged, before: before ?? null, comparison };
  }

  /** @throws OperationError that names each mistake; ConsoleError for a plan of other sources */
  private read(id: string, { text, from, snakeCase = false }: NewPlan): Plan {
    this.assertSource(id);
    const file = { name: 'The file', value: parseJson(text), from, snakeCase };
    const plan = openPlan({ ...file, sources: from && [id] })(this.plans.registry);
    if (!plan.sources.includes(id)) throw conflict(`The plan is for ${plan.sources.join(', ')}, not for this source.`);
    for (const source of plan.sources) this.assertSource(source);
    return plan;
  }

  /** Masks the values of enums as messages are masked: they may be drafted from messages. */
  private writeFor(user: CurrentUser, source: string): WriteValue {
    const view = this.payloads.chooseView(user);
    const scope = { source, at: new Date().toISOString() };
    return (path, value) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const names = ['properties', 'traits'].map((bag) => `${bag}.${path.replaceAll('[]', '')}`);
      const maskedText = names.map((name) => view.value(name, text, scope)).find((masked) => masked !== text);
      return maskedText ?? JSON.stringify(value);
    };
  }

  private find(id: string, version: number): Plan {
    this.assertSource(id);
    const plan = this.plans.registry.plan(id, version);
    if (!plan) throw notFound(`Source ${id} has no plan of this version.`);
    return plan;
  }

  private assertSource(id: string): void {
    if (!this.sources.registry.find(id)) throw notFound(`There is no source ${id}.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`The file is not JSON: ${(error as Error).message}`);
  }
}
