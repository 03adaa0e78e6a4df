import { type Admin, type Kafka } from '@sluice/kafkajs';

/** Lends an admin connection for as long as `use` takes. */
export async function withAdmin<T>(kafka: Kafka, use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}
