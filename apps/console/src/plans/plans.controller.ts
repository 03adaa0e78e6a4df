import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  type NewActivation,
  type PlanChange,
  type PlanCoverage,
  type PlanFactsQuery,
  type PlanListQuery,
  type PlanPreview,
  type PlanPreviewQuery,
  type PlanSummary,
  type PlanViolations,
  type SourcePlans,
} from '@sluice/console-api';
import { type ActivationChange, assertObserved, previewActivation } from '@sluice/operations';
import { type Activation, isPlanVersion, type Plan, type PlanDifference, PlanReader, PlanWriter } from '@sluice/plans';
import { SourceReader } from '@sluice/sources';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { requirePeriod } from '../http/range.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';
import { PlanFacts } from './plan-facts.js';
import { judgeState } from './plan-views.js';

const dayMs = 86_400_000;

/** Tracking plans of a source: what is active, and what its messages violate. */
@Controller()
export class PlansController {
  constructor(
    private readonly sources: SourceReader,
    private readonly plans: PlanReader,
    private readonly writer: PlanWriter,
    private readonly actions: Actions,
    private readonly facts: PlanFacts,
    private readonly tables: Tables,
  ) {}

  @Serves('GET /api/sources/:id/plans')
  list(@Param('id') id: string, @Query() { text = '', skip = 0, limit = 20 }: PlanListQuery): SourcePlans {
    this.assertSource(id);
    const activation = this.plans.registry.activation(id);
    const all = this.plans.registry.listPlans(id).reverse();
    const matchingPlans = all.filter((plan) => isNamed(plan, text));
    return {
      plans: matchingPlans.slice(skip, skip + limit).map((plan) => summarizePlan(plan, activation)),
      found: matchingPlans.length,
      all: all.length,
      versions: activation?.versions ?? [],
      mode: activation?.mode ?? null,
      candidate: activation?.candidate ?? null,
    };
  }

  @Serves('GET /api/sources/:id/plans/violations')
  violations(
    @Param('id') id: string,
    @Query() query: PlanFactsQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<PlanViolations> {
    this.assertSource(id);
    return this.facts.violations(user, id, requirePeriod(query, 7 * dayMs), readPage(query));
  }

  @Serves('GET /api/sources/:id/plans/coverage')
  coverage(
    @Param('id') id: string,
    @Query() query: PlanFactsQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<PlanCoverage> {
    this.assertSource(id);
    return this.facts.coverage(user, id, requirePeriod(query, 7 * dayMs), readPage(query));
  }

  @Serves('GET /api/sources/:id/plans/preview')
  preview(
    @Param('id') id: string,
    @Query() { versions, mode, candidate }: PlanPreviewQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<PlanPreview> {
    const numbers = versions.split(',').filter((number) => number !== '');
    const requestedChange = {
      versions: numbers.map(Number),
      mode,
      candidate: candidate === undefined ? null : Number(candidate),
    };
    return this.previewChange(user, this.requireChange(id, requestedChange));
  }

  @Serves('PUT /api/sources/:id/plans')
  async activate(
    @Param('id') id: string,
    @Body() body: NewActivation,
    @ActingUser() user: CurrentUser,
  ): Promise<PlanPreview> {
    const change = this.requireChange(id, body);
    const { versions, mode, candidate } = change;
    const preview = await this.previewChange(user, change, { isDone: true });
    const action = { operation: 'plans.activate', object: id, details: { versions, mode, candidate } };
    await this.actions.record(user, action, async () => {
      const isNothing = versions.length === 0 && candidate === undefined;
      await (isNothing ? this.writer.deactivate(id) : this.writer.activate(id, change));
    });
    return preview;
  }

  private async previewChange(
    user: CurrentUser,
    change: ActivationChange,
    { isDone = false } = {},
  ): Promise<PlanPreview> {
    if (change.versions.length === 0 && change.candidate === undefined)
      return { differences: [], candidateDifferences: [], observation: null };
    const select = <Row>(query: string, parameters: Record<string, unknown>): Promise<Row[]> =>
      this.tables.select<Row>(user, query, parameters);
    const preview = await previewActivation(select, this.plans.registry, change);
    if (isDone) assertObserved(preview);
    return {
      differences: preview.differences.map(changeText),
      candidateDifferences: preview.candidateDifferences.map(changeText),
      observation: preview.observation,
    };
  }

  private requireChange(id: string, { versions, mode, candidate }: NewActivation): ActivationChange {
    this.assertSource(id);
    if (!versions.every(isPlanVersion)) throw invalid('versions must be versions of plans.');
    if (candidate === null) return { source: id, versions, mode };
    if (!isPlanVersion(candidate)) throw invalid('candidate must be the version of a plan.');
    return { source: id, versions, mode, candidate };
  }

  private assertSource(id: string): void {
    if (!this.sources.registry.find(id)) throw notFound(`There is no source ${id}.`);
  }
}

const readPage = ({ skip = 0, limit = 20 }: PlanFactsQuery): { skip: number; limit: number } => ({ skip, limit });

/** Whether the version, the description or the name of an event contains the text. */
function isNamed({ version, description = '', events }: Plan, text: string): boolean {
  const searchText = text.trim().toLowerCase();
  return [String(version), description, ...Object.keys(events)].some((name) => name.toLowerCase().includes(searchText));
}

const changeText = ({ path, before, after }: PlanDifference): PlanChange => ({
  path,
  before: formatJson(before),
  after: formatJson(after),
});

const formatJson = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

const summarizePlan = (
  { version, description = '', events }: Plan,
  activation: Activation | undefined,
): PlanSummary => ({
  version,
  description,
  events: Object.keys(events).length,
  state: judgeState(version, activation),
});
