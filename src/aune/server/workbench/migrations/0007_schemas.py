from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workbench", "0006_comments")]

    operations = [
        migrations.AddField(model_name="project", name="schemas", field=models.JSONField(default=dict)),
    ]
