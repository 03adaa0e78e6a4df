/** The calls of Segment's clients: docs/segment.md#what-becomes-what. */
export const segmentTypes = ['track', 'page', 'screen', 'group', 'identify', 'alias'] as const;
export type SegmentType = (typeof segmentTypes)[number];
