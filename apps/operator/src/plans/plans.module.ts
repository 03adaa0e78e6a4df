import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { ActivatePlanCommand } from './activate-plan.command.js';
import { ComparePlanCommand } from './compare-plan.command.js';
import { ImportPlanCommand } from './import-plan.command.js';
import { InferPlanCommand } from './infer-plan.command.js';
import { PlanAccess } from './plan-access.js';
import { PlanTypesCommand } from './plan-types.command.js';
import { ExportPlanCommand, ListPlansCommand, ShowPlanCommand } from './show-plans.command.js';

/** Subcommands in the order of the help. */
const subCommands = [
  ImportPlanCommand,
  ExportPlanCommand,
  ListPlansCommand,
  ShowPlanCommand,
  ActivatePlanCommand,
  ComparePlanCommand,
  InferPlanCommand,
  PlanTypesCommand,
];

@Command({ name: 'plans', description: 'Tracking plans: what events must look like', subCommands })
export class PlansCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [PlanAccess, PlansCommand, ...subCommands] })
export class PlansModule {}
