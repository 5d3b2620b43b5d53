SELECT set_config(:name, :value, false)
